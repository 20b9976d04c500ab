/**
 * The settings of traces: the environment variables that OpenTelemetry specifies. The exporter itself reads those of
 * the endpoint (OTEL_EXPORTER_OTLP_*).
 */

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const protocols = ['http/protobuf', 'http/json'] as const;

export interface TracingSettings {
  protocol: (typeof protocols)[number];
  sampler: (typeof samplers)[number];
  /** Share of the traces that are sampled, from 0 to 1; for the samplers with a ratio. */
  ratio: number;
  /** Milliseconds between two batches of spans. */
  sendEvery: number;
}

/**
 * Reads the settings; null if no endpoint is set or traces are disabled.
 * @throws Error naming the invalid variable and what it must be
 */
export function readTracing(environment: NodeJS.ProcessEnv): TracingSettings | null {
  const read = (name: string) => environment[name]?.trim() || undefined;
  const readExporter = (name: string) => {
    const [own, common] = [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`];
    return read(own) ? { name: own, value: read(own) } : { name: common, value: read(common) };
  };
  const endpoint = readExporter('ENDPOINT');
  const isDisabled = read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  if (endpoint.value === undefined || isDisabled) return null;
  if (!/^https?:\/\/[^\s]+$/.test(endpoint.value) || !URL.canParse(endpoint.value)) {
    throw invalid(endpoint.name, 'be an address: http://127.0.0.1:4318');
  }
  const protocol = readExporter('PROTOCOL');
  const sampler = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  return {
    protocol: oneOf(protocol.name, protocol.value ?? 'http/protobuf', protocols),
    sampler: oneOf('OTEL_TRACES_SAMPLER', sampler, samplers),
    ratio: numberOf('OTEL_TRACES_SAMPLER_ARG', read('OTEL_TRACES_SAMPLER_ARG') ?? '1', 1),
    sendEvery: numberOf('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY') ?? '5000', 3_600_000),
  };
}

function oneOf<T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((known) => known === value);
  if (!found) throw invalid(name, `be one of ${values.join(', ')}`);
  return found;
}

function numberOf(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!(value >= 0 && value <= maximum)) throw invalid(name, `be a number from 0 to ${maximum}`);
  return value;
}

function invalid(name: string, must: string): Error {
  return new Error(`invalid setting: ${name} must ${must}`);
}
