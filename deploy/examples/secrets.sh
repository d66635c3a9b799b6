#!/usr/bin/env bash
# Prints the secrets of the manifests in this folder and of the chart's production.yaml, with new passwords and keys:
#
#   deploy/examples/secrets.sh | kubectl create -n data -f -
#
# `create` rejects existing secrets, so that a second run changes no password. Keep a copy of tabulary-secrets, but not with the
# database backup: without master-keys, stored provider keys cannot be decrypted.
set -euo pipefail

postgres=$(openssl rand -hex 24)
clickhouse=$(openssl rand -hex 24)
cat <<YAML
# Owner of the database, for CloudNativePG.
apiVersion: v1
kind: Secret
metadata:
  name: catalog-owner
type: kubernetes.io/basic-auth
stringData:
  username: tabulary
  password: $postgres
---
# Connection to the primary, with its certificate verified.
apiVersion: v1
kind: Secret
metadata:
  name: tabulary-database
stringData:
  url: postgres://tabulary:$postgres@catalog-rw:5432/tabulary?sslmode=verify-full&sslrootcert=/etc/tabulary/postgres/ca.crt
---
# User password, for the ClickHouse operator.
apiVersion: v1
kind: Secret
metadata:
  name: clickhouse-password
stringData:
  password: $clickhouse
---
apiVersion: v1
kind: Secret
metadata:
  name: tabulary-clickhouse
stringData:
  url: https://tabulary:$clickhouse@clickhouse-rows:8443
---
apiVersion: v1
kind: Secret
metadata:
  name: tabulary-secrets
stringData:
  link-secret: $(openssl rand -hex 32)
  master-keys: first:$(openssl rand -base64 32)
YAML
