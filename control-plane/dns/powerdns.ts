/**
 * Calls of PowerDNS's HTTP API (doc.powerdns.com, Authoritative HTTP API), version 4.7 and later. The key is in no error
 * and in no line of the log.
 */
import { vendor } from '@carton/runtime/service';
import type { RecordSet } from './records.ts';
import type { PowerDnsSettings } from './settings.ts';

/** For all calls for one zone together. */
export const timeoutMilliseconds = 10_000;
/** Marks the zones of the control plane. No other zone is changed or removed. */
const account = vendor.name;

export interface FoundZone {
  isOwn: boolean;
  records: RecordSet[];
}

/** The API did not do what it was asked to. */
export class PowerDnsError extends Error {
  /** Whether it could be the same for every zone: no answer, a wrong key, a server error. */
  readonly isGeneral: boolean;

  constructor(message: string, isGeneral: boolean) {
    super(message);
    this.isGeneral = isGeneral;
  }
}

interface ZoneAnswer {
  account?: string;
  rrsets?: { name: string; type: string; ttl: number; records: { content: string; disabled?: boolean }[] }[];
}

export type PowerDns = ReturnType<typeof openPowerDns>;

/** Opens the calls. `signal` ends them. Each throws PowerDnsError. */
export function openPowerDns({ url, key }: Pick<PowerDnsSettings, 'url' | 'key'>, signal: AbortSignal) {
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}/api/v1/servers/localhost/zones${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    }).catch((error) => {
      throw lost(error);
    });
    if (response.ok || (response.status === 404 && path !== '')) return response;
    await response.body?.cancel().catch(() => {});
    const { status } = response;
    throw new PowerDnsError(`PowerDNS responded with ${status}`, status >= 500 || [401, 403, 404].includes(status));
  };
  const done = async (response: Response): Promise<boolean> => {
    await response.body?.cancel().catch(() => {});
    return response.ok;
  };
  return {
    /** Finds a zone; null if the nameserver does not have it. @param withRecords whether to read its records */
    async find(zone: string, withRecords: boolean): Promise<FoundZone | null> {
      const response = await call('GET', `/${zone}.?rrsets=${withRecords}`);
      if (!(await keep(response))) return null;
      const found = await response.json().catch((error) => {
        if (error instanceof SyntaxError)
          throw new PowerDnsError('PowerDNS responded with something else than JSON', true);
        throw lost(error);
      });
      const { account: owner, rrsets = [] } = found as ZoneAnswer;
      return { isOwn: owner === account, records: rrsets.map(readRecords) };
    },
    async create(zone: string, records: readonly RecordSet[]): Promise<void> {
      const rrsets = records.map(writeRecords);
      const properties = { kind: 'Native', account, soa_edit_api: 'DEFAULT', nameservers: [] };
      await done(await call('POST', '', { name: `${zone}.`, ...properties, rrsets }));
    },
    /** Replaces these sets; deletes those without contents. */
    async change(zone: string, records: readonly RecordSet[]): Promise<void> {
      const rrsets = records.map((set) => ({
        ...writeRecords(set),
        changetype: set.contents.length > 0 ? 'REPLACE' : 'DELETE',
      }));
      const isChanged = await done(await call('PATCH', `/${zone}.`, { rrsets }));
      if (!isChanged) throw new PowerDnsError('PowerDNS no longer has the zone', false);
    },
    async remove(zone: string): Promise<void> {
      await done(await call('DELETE', `/${zone}.`));
    },
  };
}

async function keep(response: Response): Promise<boolean> {
  if (!response.ok) await response.body?.cancel().catch(() => {});
  return response.ok;
}

function readRecords({ name, type, ttl, records }: NonNullable<ZoneAnswer['rrsets']>[number]): RecordSet {
  const contents = records.filter(({ disabled }) => !disabled).map(({ content }) => content);
  return { name, type, ttl, contents };
}

function writeRecords({ name, type, ttl, contents }: RecordSet) {
  return { name, type, ttl, records: contents.map((content) => ({ content, disabled: false })) };
}

/** The error of a lost connection, without what was sent. */
function lost(error: unknown): PowerDnsError {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return new PowerDnsError('PowerDNS did not respond in time', true);
  const isRedirect = cause?.message === 'unexpected redirect';
  const reason = isRedirect ? 'it redirects' : (cause?.code ?? 'unknown cause');
  return new PowerDnsError(`PowerDNS could not be called (${reason})`, true);
}
