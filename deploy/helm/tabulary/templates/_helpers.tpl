{{- define "tabulary.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
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

{{- /* Settings in order, so that the same values give the same text. */ -}}
{{- define "tabulary.env" -}}
- name: HOST
  value: "0.0.0.0"
- name: PORT
  value: {{ .Values.api.port | quote }}
- name: WORKER_PORT
  value: {{ .Values.worker.port | quote }}
{{- with .Values.metrics.port }}
{{- if hasKey $.Values.settings "METRICS_PORT" }}{{ fail "METRICS_PORT is set by metrics.port" }}{{ end }}
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
{{- end }}
{{- end }}
