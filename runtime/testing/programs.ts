/**
 * Programs of the machine that tests, rigs and benches need and that a bare Debian lacks. They are looked for in the
 * folders of the PATH, and in those beside them that hold programs for administrators (`sbin`), which the PATH of a user
 * may lack, and those of PostgreSQL's versions.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The Debian package of each program. */
const packages = {
  caddy: 'caddy',
  chromium: 'chromium',
  curl: 'curl',
  dig: 'bind9-dnsutils',
  git: 'git',
  haproxy: 'haproxy',
  ip: 'iproute2',
  mmdebstrap: 'mmdebstrap',
  nsenter: 'util-linux',
  openssl: 'openssl',
  pgbench: 'postgresql-contrib',
  pdfdetach: 'poppler-utils',
  pdffonts: 'poppler-utils',
  pdftotext: 'poppler-utils',
  pdns_recursor: 'pdns-recursor',
  pdns_server: 'pdns-server',
  psql: 'postgresql-client',
  qpdf: 'qpdf',
  rec_control: 'pdns-recursor',
  rsync: 'rsync',
  strace: 'strace',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  'swift-proxy-server': 'swift-proxy',
  'swift-ring-builder': 'swift',
  'systemd-analyze': 'systemd',
  'systemd-nspawn': 'systemd-container',
  unshare: 'util-linux',
} as const;

export type ProgramName = keyof typeof packages;

/** What no test needs as long as it is missing: these rigs, and parts of them, are run by hand. */
const optional = new Set<ProgramName>([
  'ip',
  'mmdebstrap',
  'pgbench',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'swift-proxy-server',
  'swift-ring-builder',
  'systemd-nspawn',
]);

/** The `bin` of a system and the folder of this name beside it; also `/usr/sbin` for `/usr/bin`. */
function beside(name: string): string[] {
  return pathFolders()
    .filter((folder) => basename(folder) === 'bin')
    .map((folder) => join(dirname(folder), name));
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
}

function findProgram(name: ProgramName): string | undefined {
  return [...pathFolders(), ...beside('sbin')].map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** The path of a program. @throws Error that says what to install */
export function pathOf(name: ProgramName): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(adviceFor([name]));
  return path;
}

function adviceFor(names: readonly ProgramName[]): string {
  const needed = [...new Set(names.map((name) => packages[name]))];
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not installed: apt-get install ${needed.join(' ')}`;
}

/**
 * Why tests that need these programs are skipped; false if the machine has all of them.
 * @throws Error where TEST_PROGRAMS=required says that the machine has them
 */
export function missingPrograms(...names: ProgramName[]): string | false {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return false;
  const advice = adviceFor(missing);
  return missing.every((name) => optional.has(name)) ? advice : refuseIfRequired(advice);
}

/** Returns the reason to skip a test. @throws Error where programs are required */
export function refuseIfRequired(reason: string): string {
  if (process.env.TEST_PROGRAMS === 'required') throw new Error(reason);
  return reason;
}

/** A version of PostgreSQL as Debian installs it: beside others. */
export interface InstalledPostgres {
  version: string;
  /** The folder of its programs. */
  programs: string;
}

/** The installed versions with this program, the oldest first. */
export function installedPostgres(program: string): InstalledPostgres[] {
  const found = beside('lib/postgresql').flatMap((folder) =>
    (existsSync(folder) ? readdirSync(folder) : []).map((version) => ({
      version,
      programs: join(folder, version, 'bin'),
    })),
  );
  return found
    .filter(({ programs }) => existsSync(join(programs, program)))
    .sort((one, other) => Number(one.version) - Number(other.version));
}

/** The same as `missingPrograms`, of a server of Debian's. @param version without it, any version */
export function missingPostgres(version?: number): string | false {
  const found = installedPostgres('initdb');
  if (version === undefined ? found.length > 0 : found.some((each) => each.version === String(version))) return false;
  const name = version === undefined ? 'postgresql' : `postgresql-${version}`;
  return refuseIfRequired(`Debian's PostgreSQL is not installed: apt-get install ${name}`);
}
