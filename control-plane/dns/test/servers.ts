/**
 * PowerDNS for tests: nameservers with their API, and a resolver that follows delegations. Each is a process on loopback
 * with a folder of its own.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import {
  type Caller,
  callerOf,
  freePort,
  missingPrograms,
  pathOf,
  refuseIfRequired,
  temporaryFolder,
  until,
} from '@carton/runtime/testing';
import type { Test } from 'tap';

const run = promisify(execFile);
const schema = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql';

/** Why tests with PowerDNS are skipped; false if they are not. */
export function findMissing(): string | false {
  const missing = missingPrograms('pdns_server', 'pdns_recursor', 'rec_control', 'dig');
  if (missing || existsSync(schema)) return missing;
  return refuseIfRequired(`${schema} is not installed: apt-get install pdns-backend-sqlite3`);
}

export interface Nameserver {
  /** URL of the API. */
  url: string;
  key: string;
  /** `127.0.0.1` and the port for DNS. */
  address: string;
  zones: Caller;
  /** Starts it again with the zones it had. */
  start(): Promise<void>;
  /** Ends the process at once. */
  kill(): Promise<void>;
}

/** Starts a nameserver, which stops with the test. */
export async function startNameserver(t: Test): Promise<Nameserver> {
  const folder = await makeFolder(t);
  const [port, apiPort] = [await freePort(), await freePort()];
  const key = 'the-key-of-the-nameserver-of-the-tests';
  const file = join(folder, 'zones.sqlite3');
  const database = new DatabaseSync(file);
  database.exec(readFileSync(schema, 'utf8'));
  database.close();
  await writeSettings(join(folder, 'pdns.conf'), {
    launch: 'gsqlite3',
    'gsqlite3-database': file,
    'local-address': '127.0.0.1',
    'local-port': port,
    api: 'yes',
    'api-key': key,
    'webserver-address': '127.0.0.1',
    'webserver-port': apiPort,
    'webserver-allow-from': '127.0.0.1',
    'socket-dir': folder,
    // Without caches, a change is visible at once.
    'cache-ttl': 0,
    'negquery-cache-ttl': 0,
    'query-cache-ttl': 0,
    'zone-cache-refresh-interval': 0,
    'security-poll-suffix': '',
  });
  const url = `http://127.0.0.1:${apiPort}`;
  const zones = callerOf(`${url}/api/v1/servers/localhost/zones`, { 'x-api-key': key });
  const program = startProgram(t, pathOf('pdns_server'), ['--guardian=no'], folder);
  const start = async () => {
    program.start();
    await until(async () => (await zones.get('').catch(() => null))?.status === 200, Boolean);
  };
  await start();
  return { url, key, address: `127.0.0.1:${port}`, zones, start, kill: program.kill };
}

/**
 * Starts a resolver, which stops with the test. `delegate` delegates a domain to a nameserver: a resolver could otherwise
 * only find nameservers at port 53. All other names are those of the root's nameserver.
 */
export async function startResolver(t: Test, root: Nameserver) {
  const folder = await makeFolder(t);
  const port = await freePort();
  const delegations: string[] = [`.=${root.address}`];
  const zonesFile = join(folder, 'delegations');
  await writeFile(zonesFile, `${delegations.join('\n')}\n`);
  await writeSettings(join(folder, 'recursor.conf'), {
    'local-address': '127.0.0.1',
    'local-port': port,
    'socket-dir': folder,
    'forward-zones-file': zonesFile,
    'dont-query': '',
    dnssec: 'off',
    'max-cache-ttl': 15,
    'max-negative-ttl': 1,
    'disable-packetcache': 'yes',
    'security-poll-suffix': '',
  });
  const address = `127.0.0.1:${port}`;
  startProgram(t, pathOf('pdns_recursor'), [], folder).start();
  await until(
    () => dig(address, 'no-such-name.store', 'A').catch(() => ({ status: '' })),
    (found) => found.status === 'NXDOMAIN',
  );
  return {
    address,
    async delegate(domain: string, nameserver: Nameserver): Promise<void> {
      delegations.push(`${domain}=${nameserver.address}`);
      await writeFile(zonesFile, `${delegations.join('\n')}\n`);
      await run(pathOf('rec_control'), [`--socket-dir=${folder}`, 'reload-zones']);
    },
  };
}

/** Asks a DNS server. Returns the status of the response, such as `NOERROR`, and its answers as text, sorted. */
export async function dig(address: string, name: string, type: string): Promise<{ status: string; answers: string[] }> {
  const [host, port] = address.split(':');
  const parameters = [
    `@${host}`,
    '-p',
    port as string,
    name,
    type,
    '+tries=1',
    '+time=2',
    '+noall',
    '+comments',
    '+answer',
  ];
  const { stdout } = await run(pathOf('dig'), parameters);
  const answers = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return {
    status: /status: (\w+)/.exec(stdout)?.[1] ?? '',
    answers: answers.map((line) => line.split(/\s+/).slice(3).join(' ')).sort(),
  };
}

async function makeFolder(t: Test): Promise<string> {
  const folder = await temporaryFolder('powerdns-test-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function writeSettings(file: string, settings: Record<string, string | number>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  return writeFile(file, lines.join(''), { mode: 0o600 });
}

function startProgram(t: Test, path: string, parameters: readonly string[], folder: string) {
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  t.teardown(kill);
  const start = () => {
    const log = openSync(join(folder, 'log'), 'a');
    child = spawn(path, [`--config-dir=${folder}`, '--daemon=no', ...parameters], { stdio: ['ignore', log, log] });
  };
  return { start, kill };
}
