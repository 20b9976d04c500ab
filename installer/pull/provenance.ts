/**
 * Verifying provenance: from which sources and with which tools the vendor has built a package or a release. It is an
 * in-toto statement (v1) with a SLSA predicate (v1) in an envelope (DSSE v1) that the vendor has signed.
 */
import { createHash } from 'node:crypto';
import type { Release } from '../control-plane.ts';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import type { Registry } from './registry.ts';
import { type PackageKey, requireSignature, signedText } from './release-signature.ts';

/** The media type of the signed statement. */
export const payloadType = 'application/vnd.in-toto+json';
export const statementType = 'https://in-toto.io/Statement/v1';
export const predicateType = 'https://slsa.dev/provenance/v1';

/** A signed statement (DSSE v1): the payload and the signatures (ECDSA in DER) are in base64. */
export interface Envelope {
  payloadType: typeof payloadType;
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

/** A statement (in-toto v1) with provenance (SLSA v1). */
export interface Provenance {
  _type: typeof statementType;
  /** The only thing that was built, by its digest in hexadecimal. */
  subject: { name: string; digest: { sha512: string } }[];
  predicateType: typeof predicateType;
  predicate: {
    buildDefinition: {
      buildType: string;
      externalParameters: Record<string, unknown>;
      internalParameters: Record<string, unknown>;
      resolvedDependencies: { name?: string; uri?: string; digest: Record<string, string> }[];
    };
    runDetails: { builder: { id: string }; metadata: { finishedOn: string } };
  };
}

/** The path of a package's provenance in the registry. */
export const packagePath = (name: string, version: string) =>
  `/-/${vendor}/v1/provenance/${name.replace('/', '%2f')}@${version}`;

/** The path of a release's provenance in the registry. @param digest from `releaseDigest` */
export const releasePath = (digest: string) => `/-/${vendor}/v1/provenance/releases/${digest}`;

/** The SHA-512 of a release's signed text in hexadecimal. */
export function releaseDigest(release: Parameters<typeof signedText>[0]): string {
  return createHash('sha512').update(signedText(release)).digest('hex');
}

/** The text that is signed: the pre-authentication encoding of DSSE v1. @param payload UTF-8 */
export function textOf(payload: Buffer): string {
  return `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} ${payload}`;
}

/**
 * Returns the provenance in an envelope, after verifying that one of the vendor's keys has signed it and that it is of
 * the content with this digest.
 * @param what the content, for the message
 * @param digest SHA-512 in hexadecimal
 * @param time milliseconds since the epoch
 * @throws Failure integrity_failed
 */
export function openProvenance(
  what: string,
  envelope: unknown,
  digest: string,
  keys: readonly PackageKey[],
  time: number,
): Provenance {
  const { payload: encoded, signatures, ...rest } = (envelope ?? {}) as Partial<Envelope>;
  if (rest.payloadType !== payloadType || typeof encoded !== 'string' || !Array.isArray(signatures)) {
    throw wrong(what, 'it is not an envelope (DSSE) of an in-toto statement');
  }
  const payload = Buffer.from(encoded, 'base64');
  requireSignature(`the provenance of ${what}`, textOf(payload), signatures, keys, time);
  const statement = JSON.parse(payload.toString()) as Provenance;
  if (statement._type !== statementType || statement.predicateType !== predicateType) {
    throw wrong(what, 'it is another kind of statement');
  }
  if (statement.subject.length !== 1 || statement.subject[0]?.digest.sha512 !== digest) {
    throw wrong(what, 'it is of other content');
  }
  return statement;
}

/**
 * Verifies the provenance of a release if the registry has one: releases published before it existed have none, and the
 * release itself is signed.
 * @param time milliseconds since the epoch
 * @throws Failure integrity_failed, and like `Registry`
 */
export async function verifyReleaseProvenance(
  registry: Registry,
  release: Release,
  keys: readonly PackageKey[],
  time: number,
): Promise<void> {
  const what = `release ${release.version}`;
  const digest = releaseDigest(release);
  const envelope = await registry.readProvenance(`the provenance of ${what}`, releasePath(digest));
  if (envelope !== undefined) openProvenance(what, envelope, digest, keys, time);
}

const wrong = (what: string, reason: string) =>
  new Failure(
    'integrity_failed',
    `the provenance of ${what} is wrong: ${reason}`,
    'Nothing was installed. Contact the vendor',
  );
