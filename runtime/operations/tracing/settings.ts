/**
 * The settings of traces: OpenTelemetry's own environment variables, so that what is known of them elsewhere holds here.
 * Where to send them (OTEL_EXPORTER_OTLP_*) is read by the exporter itself.
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
  /** Share of the traces that are kept, from 0 to 1; for the samplers of a ratio. */
  ratio: number;
  /** Milliseconds that a span waits for others to be sent with. */
  sendEvery: number;
}

/**
 * Reads the settings; null where no traces are wanted: no endpoint is set, or they are turned off.
 * @throws Error naming the variable that is wrong and what it must be
 */
export function readTracing(environment: NodeJS.ProcessEnv): TracingSettings | null {
  const read = (name: string) => environment[name]?.trim() || undefined;
  const ofTraces = (name: string) => {
    const [own, common] = [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`];
    return read(own) ? { name: own, value: read(own) } : { name: common, value: read(common) };
  };
  const endpoint = ofTraces('ENDPOINT');
  const off = read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  if (endpoint.value === undefined || off) return null;
  if (!/^https?:\/\/[^\s]+$/.test(endpoint.value) || !URL.canParse(endpoint.value)) {
    throw wrong(endpoint.name, 'be an address: http://127.0.0.1:4318');
  }
  const protocol = ofTraces('PROTOCOL');
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
  if (!found) throw wrong(name, `be one of ${values.join(', ')}`);
  return found;
}

function numberOf(name: string, text: string, largest: number): number {
  const value = Number(text);
  if (!(value >= 0 && value <= largest)) throw wrong(name, `be a number from 0 to ${largest}`);
  return value;
}

function wrong(name: string, must: string): Error {
  return new Error(`wrong setting: ${name} must ${must}`);
}
