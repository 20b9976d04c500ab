// Provenance: from which sources and with which tools the vendor has built a package or a release. It is an in-toto
// statement (v1) with a SLSA predicate (v1) in an envelope (DSSE v1) that the vendor has signed with the keys of packages.
// It is served at addresses of the registry's own, not in `dist.attestations`: npm's clients expect a transparency log
// there, and `npm audit signatures` would fail without one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Catalogue } from '../packages/packuments.ts';
import { Refusal, versionNotFound } from '../refusal.ts';
import { parseJson, readBody } from '../request-body.ts';
import { type Storage, unchanged } from '../storage/storage.ts';
import type { PackageKeys, PackageSignature } from './package-keys.ts';

/** What a provenance is of: a version of a package, or a release, by the SHA-512 of its signed text in hexadecimal. */
export type ProvenanceSubject =
  | { of: 'package'; packageName: string; version: string }
  | { of: 'release'; digest: string };

export type ProvenanceServer = {
  /**
   * Responds to a GET or HEAD that the gate has authorised.
   * @throws Refusal 404
   */
  serve(request: IncomingMessage, response: ServerResponse, subject: ProvenanceSubject): Promise<void>;
  /**
   * Stores the body of the publisher's request, durably, in place of an earlier one of the same content.
   * @throws Refusal 400 for one of another subject, 403 for one that the vendor has not signed, 404, 413
   */
  store(request: IncomingMessage, response: ServerResponse, subject: ProvenanceSubject): Promise<void>;
};

export type ProvenanceServerOptions = {
  storage: Storage;
  catalogue: Catalogue;
  /** Without keys, signatures are not verified. */
  keys: PackageKeys | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
};

/** Media types of the envelope and of its payload. */
export const envelopeType = 'application/vnd.dsse.envelope.v1+json';
const payloadType = 'application/vnd.in-toto+json';
const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://slsa.dev/provenance/v1';

/** Bytes. */
const maxSize = 256 * 1024;

export function createProvenanceServer(options: ProvenanceServerOptions): ProvenanceServer {
  const { storage, catalogue, keys, now = Date.now } = options;

  /** Returns the SHA-512 of the subject in hexadecimal, by which its provenance is stored. */
  async function digestOf(subject: ProvenanceSubject): Promise<string> {
    if (subject.of === 'release') return subject.digest;
    const { packageName, version } = subject;
    const integrity = (await catalogue.find(packageName))?.versions.get(version)?.digest;
    if (!integrity?.startsWith('sha512-')) throw versionNotFound(packageName, version);
    return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  }

  const keyOf = ({ of }: ProvenanceSubject, digest: string) => `provenance/${of}s/${digest}.json`;

  return {
    async serve({ method }, response, subject) {
      const stored = await storage.read(keyOf(subject, await digestOf(subject)));
      if (stored === undefined || stored === unchanged) throw new Refusal(404, 'not_found', 'It has no provenance');
      const { content } = stored;
      response.setHeader('Content-Type', envelopeType);
      response.setHeader('Content-Length', content.length);
      response.end(method === 'HEAD' ? undefined : content);
    },
    async store(request, response, subject) {
      const digest = await digestOf(subject);
      const envelope = await readEnvelope(request);
      if (keys !== undefined) requireSignatures(envelope, keys, now());
      if (!describes(envelope.payload, digest)) throw invalid('it is not an in-toto statement of what it was sent for');
      const content = Buffer.from(`${JSON.stringify(envelope.content)}\n`);
      await storage.write(keyOf(subject, digest), content, 'always');
      response.statusCode = 201;
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.end('{"ok":true}\n');
    },
  };
}

type Envelope = { payload: Buffer; signatures: PackageSignature[]; content: object };

async function readEnvelope(request: IncomingMessage): Promise<Envelope> {
  const tooLarge = () => new Refusal(413, 'provenance_too_large', `A provenance has at most ${maxSize} bytes`);
  const envelope = parseJson(await readBody(request, maxSize, tooLarge)) as
    | { payloadType?: unknown; payload?: unknown; signatures?: unknown }
    | null
    | undefined;
  const { payload, signatures } = envelope ?? {};
  const isEnvelope =
    envelope?.payloadType === payloadType &&
    typeof payload === 'string' &&
    Array.isArray(signatures) &&
    signatures.length > 0 &&
    signatures.every((each) => typeof each?.keyid === 'string' && typeof each.sig === 'string');
  if (!isEnvelope) throw invalid('it is not an envelope (DSSE) of an in-toto statement');
  const kept = signatures.map(({ keyid, sig }: PackageSignature) => ({ keyid, sig }));
  const content = { payloadType, payload, signatures: kept };
  return { payload: Buffer.from(payload, 'base64'), signatures: kept, content };
}

function requireSignatures({ payload, signatures }: Envelope, keys: PackageKeys, time: number): void {
  // Pre-authentication encoding: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
  const text = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} ${payload}`;
  for (const signature of signatures) {
    const fault = keys.findFault(text, signature, time);
    if (fault !== undefined)
      throw new Refusal(403, 'signature_invalid', `The provenance is not signed by the vendor: ${fault}`);
  }
}

/** Whether a payload is a statement with SLSA provenance of the content with this digest, and of nothing else. */
function describes(payload: Buffer, digest: string): boolean {
  const statement = parseJson(payload) as
    | { _type?: unknown; predicateType?: unknown; subject?: { digest?: { sha512?: unknown } }[] }
    | null
    | undefined;
  return (
    statement?._type === statementType &&
    statement.predicateType === predicateType &&
    Array.isArray(statement.subject) &&
    statement.subject.length === 1 &&
    statement.subject[0]?.digest?.sha512 === digest
  );
}

const invalid = (reason: string) =>
  new Refusal(400, 'provenance_invalid', `The provenance cannot be stored: ${reason}`);
