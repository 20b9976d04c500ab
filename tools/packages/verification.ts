/**
 * Verifies a published package as anybody can who has the vendor's public keys: its tarball, and its provenance.
 */
import { createHash } from 'node:crypto';
import { openProvenance, type Provenance, packagePath } from '../../installer/pull/provenance.ts';
import type { PackageKey } from '../../installer/pull/release-signature.ts';

/**
 * Downloads a version of a package, and verifies its provenance for its bytes. Keys count as they were when the version
 * was published, as for npm's signatures.
 * @param spec `@scope/name@1.2.3`
 * @param credential an activation token, or the secret of the publisher
 * @throws Error if the registry refuses, has no provenance, or it does not verify
 */
export async function verifyPublished(
  registryUrl: string,
  credential: string,
  spec: string,
  keys: readonly PackageKey[],
): Promise<Provenance> {
  const [, name, version] = /^(@[^/]+\/[^@]+)@(.+)$/.exec(spec) ?? [];
  if (name === undefined || version === undefined) throw new Error(`${spec} is not a version of a package`);
  const read = async (path: string) => {
    const response = await fetch(`${registryUrl.replace(/\/+$/, '')}${path}`, {
      headers: { authorization: `Bearer ${credential}` },
    }).catch((error: Error) => {
      throw new Error(`${registryUrl} cannot be reached: ${(error.cause as Error)?.message ?? error.message}`);
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Error(`The registry does not serve ${path}: ${error ?? `status ${response.status}`}`);
  };
  const { time } = (await (await read(`/${name.replace('/', '%2f')}`)).json()) as { time?: Record<string, string> };
  const tarball = await read(`/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`);
  const digest = createHash('sha512');
  for await (const chunk of tarball.body as unknown as AsyncIterable<Uint8Array>) digest.update(chunk);
  const envelope = await (await read(packagePath(name, version))).json();
  const published = Date.parse(time?.[version] ?? '');
  const provenance = openProvenance(spec, envelope, digest.digest('hex'), keys, published);
  const { package: built, version: builtVersion } = provenance.predicate.buildDefinition.externalParameters;
  if (`${built}@${builtVersion}` === spec) return provenance;
  throw new Error(`the provenance of ${spec} is of ${built}@${builtVersion}`);
}
