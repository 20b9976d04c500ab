/**
 * Modules that are loaded when they are first needed, and the subject that needs each. What is loaded at the start is
 * loaded in every subject; these could be missing or different in a bundle, and nobody would notice.
 */
export const subjectOfLazyModule: Readonly<Record<string, string>> = {
  '@clack/prompts': 'command',
  '@opentelemetry/exporter-trace-otlp-http': 'services',
  '@opentelemetry/exporter-trace-otlp-proto': 'services',
  cockatiel: 'services',
  'file-type': 'media',
  'libheif-js/wasm-bundle.js': 'media',
  nodemailer: 'documents',
  'prom-client': 'services',
  sharp: 'media',
  stripe: 'services',
  strtok3: 'media',
  tldts: 'hosts',
};
