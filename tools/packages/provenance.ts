/**
 * Provenance of built packages and releases: from which sources and with which tools they were built, as SLSA describes it
 * (https://slsa.dev/spec/v1.0/provenance), signed by the vendor. The registry serves it beside the packages.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishRelease } from '../../control-plane/releases/schemas.ts';
import {
  type Provenance,
  packagePath,
  payloadType,
  predicateType,
  releaseDigest,
  releasePath,
  statementType,
  textOf,
} from '../../installer/pull/provenance.ts';
import type { BuiltPackage } from './built-package.ts';
import type { Sign } from './signing.ts';
import { readManifest, readWorkspace, repository } from './sources.ts';

/** What is the same for all packages of a build. */
export type BuildFacts = {
  vendor: string;
  /** A URI of who has built them. */
  builder: string;
  /** Where the sources are, without credentials, and the commit; undefined if git does not know, or files differ. */
  source: { repository: string | undefined; revision: string } | undefined;
  /** Exact versions of what builds them. */
  tools: Record<string, string>;
  /** SHA-256 of package-lock.json, in hexadecimal, which has the digest of each library. */
  lockFile: string | undefined;
};

/** The libraries that decide which bytes are built. */
const tools = ['esbuild', 'typescript', 'tar'];

/** Reads the facts of a checkout. @param builder a URI */
export async function readBuildFacts(builder: string | undefined, root = repository): Promise<BuildFacts> {
  const { vendor } = await readWorkspace(root);
  const versions: Record<string, string> = { node: process.version.slice(1) };
  for (const tool of tools) {
    const folder = join(repository, 'node_modules', tool);
    if (existsSync(folder)) versions[tool] = (await readManifest(folder)).version;
  }
  const lock = await readFile(join(root, 'package-lock.json')).catch(() => undefined);
  return {
    vendor,
    builder: builder ?? `urn:${vendor}:builder:publish-packages`,
    source: readSource(root),
    tools: versions,
    lockFile: lock && createHash('sha256').update(lock).digest('hex'),
  };
}

function readSource(root: string): BuildFacts['source'] {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // A folder in a checkout of something else is not a checkout.
    if (git('rev-parse', '--show-prefix') !== '' || git('status', '--porcelain') !== '') return undefined;
    const revision = git('rev-parse', 'HEAD');
    return { repository: publicAddress(git('config', '--default', '', '--get', 'remote.origin.url')), revision };
  } catch {
    return undefined;
  }
}

/** The address of a repository without credentials; undefined for a path on this machine. */
export function publicAddress(remote: string): string | undefined {
  const [, host, path] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(remote) ?? [];
  if (host && path) return `git+ssh://${host}/${path}`;
  if (!URL.canParse(remote)) return undefined;
  const { protocol, host: server, pathname } = new URL(remote);
  return /^(https?|ssh|git):$/.test(protocol) ? `git+${protocol}//${server}${pathname}` : undefined;
}

/** The name of a package as a package URL, as npm's own provenance has it. */
const packageUrl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Describes how something was built. @param digest SHA-512 in hexadecimal */
function describe(facts: BuildFacts, kind: string, name: string, digest: string, parameters: object): Provenance {
  const { vendor, builder, source, lockFile } = facts;
  const uri = source?.repository ?? `urn:${vendor}:source`;
  return {
    _type: statementType,
    subject: [{ name, digest: { sha512: digest } }],
    predicateType,
    predicate: {
      buildDefinition: {
        buildType: `urn:${vendor}:build:${kind}:v1`,
        externalParameters: { ...parameters, ...(source && { source: { uri, revision: source.revision } }) },
        internalParameters: { tools: facts.tools, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          ...(source ? [{ uri: `${uri}@${source.revision}`, digest: { gitCommit: source.revision } }] : []),
          ...(lockFile ? [{ name: 'package-lock.json', digest: { sha256: lockFile } }] : []),
        ],
      },
      runDetails: { builder: { id: builder }, metadata: { finishedOn: new Date().toISOString() } },
    },
  };
}

/** The provenance of a package. */
export function packageProvenance(facts: BuildFacts, { name, version, integrity }: BuiltPackage): Provenance {
  const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  return describe(facts, 'package', packageUrl(name, version), digest, { package: name, version });
}

/** The provenance of a release: of its text that the vendor signs. */
export function releaseProvenance(facts: BuildFacts, release: PublishRelease): Provenance {
  const { version, channel } = release;
  const name = `${facts.vendor}-release-${version}-${channel}`;
  return describe(facts, 'release', name, releaseDigest(release), { version, channel });
}

/** Signs a provenance. */
export function sealProvenance(provenance: Provenance, sign: Sign) {
  const payload = Buffer.from(JSON.stringify(provenance));
  return { payloadType, payload: payload.toString('base64'), signatures: sign(textOf(payload)) };
}

export type ProvenanceOptions = {
  registryUrl: string;
  publishSecret: string;
  facts: BuildFacts;
  sign: Sign;
};

/**
 * Publishes the provenance of those packages that have none in the registry. Returns their number.
 * @throws Error with the message of the registry
 */
export async function publishProvenance(
  options: ProvenanceOptions,
  packages: readonly BuiltPackage[],
): Promise<number> {
  let count = 0;
  for (const built of packages) {
    const path = packagePath(built.name, built.version);
    const { status } = await send(options, path, { method: 'HEAD' });
    if (status === 200) continue;
    await put(options, path, packageProvenance(options.facts, built));
    count += 1;
  }
  return count;
}

/**
 * Publishes the provenance of a release.
 * @throws Error with the message of the registry
 */
export async function publishReleaseProvenance(options: ProvenanceOptions, release: PublishRelease): Promise<void> {
  await put(options, releasePath(releaseDigest(release)), releaseProvenance(options.facts, release));
}

async function put(options: ProvenanceOptions, path: string, provenance: Provenance): Promise<void> {
  const body = JSON.stringify(sealProvenance(provenance, options.sign));
  const response = await send(options, path, { method: 'PUT', body });
  if (response.ok) return void (await response.arrayBuffer());
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  const name = provenance.subject[0]?.name;
  throw new Error(`The registry rejects the provenance of ${name}: ${error ?? `status ${response.status}`}`);
}

function send({ registryUrl, publishSecret }: ProvenanceOptions, path: string, request: RequestInit) {
  const headers = { authorization: `Bearer ${publishSecret}`, 'content-type': 'application/json' };
  return fetch(`${registryUrl.replace(/\/+$/, '')}${path}`, { ...request, headers }).catch((error: Error) => {
    const reason = (error.cause as Error)?.message ?? error.message;
    throw new Error(`The registry at ${registryUrl} cannot be reached: ${reason}`);
  });
}
