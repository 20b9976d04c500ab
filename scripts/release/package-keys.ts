/**
 * `npm run package-keys`: creates the keys with which the vendor signs packages and releases, ends them, and verifies
 * published packages with them.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, UsageError, urlOf } from '../../tools/command-line.ts';
import { createKeys, type PublicKey } from '../../tools/packages/signing.ts';
import { repository } from '../../tools/packages/sources.ts';
import { verifyPublished } from '../../tools/packages/verification.ts';

const help = `Usage: npm run package-keys -- --private-key <file> [--keys <file>]
       npm run package-keys -- --expire <key id> [--at <time>] [--keys <file>]
       npm run package-keys -- --verify <package@version> [--registry <url>] [--keys <file>]

Creates a key pair with which the vendor signs packages and releases (ECDSA,
P-256). The private key is written to a new file that only its owner can read;
npm run publish:packages signs with it (PACKAGE_SIGNING_KEY_FILE). The public
key is added to the file of keys, which installers carry and the registry reads
(PACKAGE_KEYS_FILE).

With --verify it downloads a published version, verifies its provenance, which
the vendor has signed, and prints it. ACTIVATION_TOKEN or PUBLISH_SECRET is the
credential.

  --private-key <file>  create a key pair, and write the private key to this file
  --expire <key id>     end a public key: it verifies nothing signed after that
  --at <time>           when it ends, as ISO 8601 (default: now)
  --verify <package>    a version, such as @carton/cart@0.2.1
  --registry <url>      registry (default: REGISTRY_URL or http://127.0.0.1:4873)
  --keys <file>         file of the public keys, created if it is missing
                        (default: installer/pull/package-keys.json)
  --help                print this help

Exit codes: 0 success, 1 failure, 2 wrong usage.
`;

const text = { type: 'string' } as const;
const options = {
  'private-key': text,
  expire: text,
  verify: text,
  registry: { type: 'string', default: process.env.REGISTRY_URL || 'http://127.0.0.1:4873' },
  at: text,
  keys: { type: 'string', default: join(repository, 'installer/pull/package-keys.json') },
} as const;

async function readKeys(file: string): Promise<PublicKey[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"keys":[]}';
    throw error;
  });
  return (JSON.parse(text) as { keys: PublicKey[] }).keys;
}

async function writeKeys(file: string, keys: PublicKey[]): Promise<void> {
  await writeFile(file, `${JSON.stringify({ keys }, null, 2)}\n`);
}

async function create(privateKeyFile: string, keysFile: string): Promise<void> {
  const keys = await readKeys(keysFile);
  const { privateKey, publicKey } = createKeys();
  await writeFile(privateKeyFile, privateKey, { flag: 'wx', mode: 0o600 });
  await chmod(privateKeyFile, 0o600);
  await writeKeys(keysFile, [...keys, publicKey]);
  process.stdout.write(`${publicKey.keyid}\nprivate key: ${privateKeyFile}\npublic keys: ${keysFile}\n`);
}

async function expire(keyid: string, at: string | undefined, keysFile: string): Promise<void> {
  const time = at === undefined ? new Date() : new Date(at);
  if (Number.isNaN(time.getTime())) throw new UsageError(`${at} is not a time`);
  const keys = await readKeys(keysFile);
  if (!keys.some((key) => key.keyid === keyid)) throw new Error(`${keysFile} has no key ${keyid}`);
  const expires = time.toISOString();
  await writeKeys(
    keysFile,
    keys.map((key) => (key.keyid === keyid ? { ...key, expires } : key)),
  );
  process.stdout.write(`${keyid} ends at ${expires}: ${keysFile}\n`);
}

async function verify(spec: string, registryUrl: string, keysFile: string): Promise<void> {
  const credential = process.env.ACTIVATION_TOKEN || process.env.PUBLISH_SECRET;
  if (!credential) throw new UsageError('neither ACTIVATION_TOKEN nor PUBLISH_SECRET is set');
  const provenance = await verifyPublished(registryUrl, credential, spec, await readKeys(keysFile));
  process.stdout.write(`${JSON.stringify(provenance, null, 2)}\n${spec} is built and signed by the vendor\n`);
}

await runCommand({ name: 'npm run package-keys', help, options }, async ({ values }) => {
  const { 'private-key': privateKey, expire: keyid, at, keys, verify: spec } = values;
  const registry = urlOf('registry', values.registry);
  if (spec !== undefined && privateKey === undefined && keyid === undefined && at === undefined) {
    await verify(spec, registry, keys);
  } else if (spec !== undefined) throw new UsageError('pass --verify alone');
  else if (privateKey !== undefined && keyid === undefined && at === undefined) await create(privateKey, keys);
  else if (privateKey === undefined && keyid !== undefined) await expire(keyid, at, keys);
  else throw new UsageError('pass --private-key, --expire or --verify');
  return 0;
});
