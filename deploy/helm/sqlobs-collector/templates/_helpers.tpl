{{- define "sqlobs.name" -}}
{{- printf "%s" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "sqlobs.selector" -}}
app.kubernetes.io/name: sqlobs-collector
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "sqlobs.labels" -}}
{{ include "sqlobs.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "sqlobs.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- /* The configuration of all processes: what the chart decides over what the user adds. */ -}}
{{- define "sqlobs.config" -}}
{{- $fixed := dict
  "listen" (dict "http" "0.0.0.0:4318" "grpc" "0.0.0.0:4317" "admin" "0.0.0.0:4319")
  "store" (dict "url" "env:SQLOBS_STORE_URL")
  "golden" (dict "digest_key" "env:SQLOBS_DIGEST_KEY") -}}
{{- $tokens := dict "tokens" (dict "default" (dict
  "ingest" (list "env:SQLOBS_INGEST_TOKEN")
  "read" (list "env:SQLOBS_READ_TOKEN" "env:SQLOBS_ADMIN_TOKEN")
  "label" (list "env:SQLOBS_ADMIN_TOKEN")
  "admin" (list "env:SQLOBS_ADMIN_TOKEN"))) -}}
{{- $config := deepCopy .Values.config -}}
{{- if not (hasKey $config "auth") }}{{ $_ := set $config "auth" $tokens }}{{ end -}}
{{- toYaml (mergeOverwrite $config $fixed) -}}
{{- end -}}

{{- /* Variables from the Secret: the store's address and what `sqlobs.config` names. */ -}}
{{- define "sqlobs.env" -}}
{{- range $name, $key := dict
  "SQLOBS_STORE_URL" "store-url" "SQLOBS_DIGEST_KEY" "digest-key" "SQLOBS_INGEST_TOKEN" "ingest-token"
  "SQLOBS_READ_TOKEN" "read-token" "SQLOBS_ADMIN_TOKEN" "admin-token" }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $.Values.secretName }}, key: {{ $key }}}}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sqlobs.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "sqlobs.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- /* The pod of one process. Arguments: root, component, role, resources, grace, hasVolume. */ -}}
{{- define "sqlobs.pod" -}}
metadata:
  labels:
    {{- include "sqlobs.selector" . | nindent 4 }}
  annotations:
    # A changed configuration replaces the pods.
    checksum/config: {{ include "sqlobs.config" .root | sha256sum }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .grace }}
  securityContext:
    {{- include "sqlobs.podSecurity" . | nindent 4 }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "sqlobs.selector" . | nindent 10 }}
  containers:
    - name: collector
      image: {{ include "sqlobs.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [serve, --config, /etc/sqlobs/collector.yaml, --roles, {{ .role }}]
      env:
        {{- include "sqlobs.env" .root | nindent 8 }}
      ports:
        {{- if eq .role "receive" }}
        - {name: otlp-grpc, containerPort: 4317}
        - {name: otlp-http, containerPort: 4318}
        {{- end }}
        - {name: admin, containerPort: 4319}
      # The first start may migrate the store, or project what its journal has.
      startupProbe:
        httpGet: {path: /healthz, port: admin}
        periodSeconds: 5
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: admin}
        periodSeconds: 15
        timeoutSeconds: 5
        failureThreshold: 4
      # A full disk makes a receiver unready; a restart would not free it.
      readinessProbe:
        httpGet: {path: /readyz, port: admin}
        periodSeconds: 5
        timeoutSeconds: 5
      securityContext:
        {{- include "sqlobs.containerSecurity" . | nindent 8 }}
      {{- with .resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - {name: config, mountPath: /etc/sqlobs, readOnly: true}
        - {name: data, mountPath: /var/lib/sqlobs}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: config
      configMap: {name: {{ include "sqlobs.name" .root }}}
    - name: tmp
      emptyDir: {}
    {{- if not .hasVolume }}
    - name: data
      emptyDir: {}
    {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /* The claim of a process with a journal. Argument: its storage. */ -}}
{{- define "sqlobs.claim" -}}
- metadata: {name: data}
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .className }}
    storageClassName: {{ . }}
    {{- end }}
    resources: {requests: {storage: {{ .size }}}}
{{- end -}}
