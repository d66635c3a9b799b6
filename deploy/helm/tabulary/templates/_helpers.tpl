{{- define "tabulary.name" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tabulary.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tabulary.labels" -}}
{{ include "tabulary.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "tabulary.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Sorted settings, so that equal values render equally. */ -}}
{{- define "tabulary.env" -}}
- name: HOST
  value: "0.0.0.0"
- name: PORT
  value: {{ .Values.api.port | quote }}
- name: WORKER_PORT
  value: {{ .Values.worker.port | quote }}
{{- with .Values.metrics.port }}
- name: METRICS_PORT
  value: {{ . | quote }}
{{- end }}
- name: DRAIN_TIMEOUT_MS
  value: {{ mul .Values.drainSeconds 1000 | quote }}
{{- range $name, $value := .Values.settings }}
{{- if ne $value "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name }}
      key: {{ $from.key }}
{{- end }}
{{- range .Values.extraEnv }}
{{- if or (hasKey $.Values.settings .name) (hasKey $.Values.secrets .name) }}{{ fail (printf "%s is in extraEnv and in settings or secrets" .name) }}{{ end }}
{{- if has .name (list "HOST" "PORT" "WORKER_PORT" "METRICS_PORT" "DRAIN_TIMEOUT_MS") }}{{ fail (printf "%s cannot be in extraEnv: other values of the chart set it" .name) }}{{ end }}
- {{ toYaml . | nindent 2 | trim }}
{{- end }}
{{- end }}

{{- /*
Restarts pods at `helm upgrade` if the environment or a secret has changed. Uses the resource versions of secrets, since a hash
of their content would leak into annotations; `helm template` cannot look them up.
*/ -}}
{{- define "tabulary.podAnnotations" -}}
{{- $names := list }}
{{- range .root.Values.secrets }}{{ $names = append $names .name }}{{ end }}
{{- range .root.Values.secretFiles }}{{ $names = append $names .secret }}{{ end }}
{{- $versions := list }}
{{- range $names | uniq | sortAlpha }}
{{- $secret := lookup "v1" "Secret" $.root.Release.Namespace . | default dict }}
{{- $versions = append $versions (printf "%s %s" . (dig "metadata" "resourceVersion" "" $secret)) }}
{{- end -}}
checksum/config: {{ include "tabulary.env" .root | sha256sum }}
checksum/secrets: {{ join "\n" $versions | sha256sum }}
{{- with .part.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Scheduling and priority of a component's pods. */ -}}
{{- define "tabulary.scheduling" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tabulary.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tabulary.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "tabulary.mounts" -}}
- name: data
  mountPath: /var/lib/tabulary
- name: tmp
  mountPath: /tmp
{{- range .Values.secretFiles }}
- name: {{ .name }}
  mountPath: {{ .path }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "tabulary.secretVolumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- range .Values.secretFiles }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    {{- with .keys }}
    items:
      {{- range . }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
    {{- end }}
{{- end }}
{{- end }}

{{- /* "yes" if only one node, and hence one API process, can mount the volume of export files. */ -}}
{{- define "tabulary.oneNode" -}}
{{- with .Values.api.persistence }}{{ if and .enabled (ne .accessMode "ReadWriteMany") }}yes{{ end }}{{ end }}
{{- end }}
