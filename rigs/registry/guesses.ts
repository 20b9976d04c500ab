/**
 * Guesses of licence keys: the answer to a guess whose first characters are those of a key is the same, and takes the
 * same time, as that to any other.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { rounded } from '../../tools/load/measurement.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { aucLimit, compareTimes } from '../support/timing-statistics.ts';
import type { Vendor } from '../support/vendor.ts';

/** Guesses with the first characters of one key; more in a minute are throttled (control-plane/license/guesses.ts). */
const guessesPerKey = 15;

export async function timeGuesses(stage: Stage, vendor: Vendor, { tries }: { tries: number }): Promise<Findings> {
  stage.say(`${tries} guesses with the first characters of a key, and ${tries} without`);
  const keys = await mintKeys(vendor, Math.ceil(tries / guessesPerKey));
  const ask = guesserOf(vendor.controlPlane.url);
  const times = { known: [] as number[], unknown: [] as number[] };
  const answers = new Set<string>();
  for (let at = 0; at < tries; at++) {
    stage.signal.throwIfAborted();
    const key = keys[at % keys.length] as string;
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) {
      const { milliseconds, contents } = await ask(guessOf(kind === 'known' ? key : null));
      times[kind].push(milliseconds);
      answers.add(contents);
    }
  }
  const broken: string[] = [];
  if (answers.size !== 1) broken.push(`guesses get different answers: ${[...answers].join('; ')}`);
  const { auc, difference } = compareTimes(times, stage.short ? 100 : 1000);
  if (!stage.short && Math.abs(auc - 0.5) > aucLimit(tries))
    broken.push(`the time of an answer tells keys: AUC ${auc}`);
  return {
    broken,
    counts: { guesses: 2 * tries, guessesAuc: rounded(auc, 4), guessesMicroseconds: rounded(difference, 1) },
  };
}

async function mintKeys({ admin }: Vendor, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let at = 0; at < count; at++) {
    const { body } = await admin.post('/license/keys', { customerId: 'guessed', tier: 'basic' });
    keys.push(body.key);
  }
  return keys;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** A well-formed key that was not minted; with `key`, its first 31 random characters are those of the key. */
function guessOf(key: string | null): string {
  const random = (length: number) => [...randomBytes(length)].map((byte) => alphabet[byte % 32]).join('');
  const [prefix, tier, secret = ''] = (key ?? `ctn_basic_${random(32)}`).split('_');
  const last = alphabet[(alphabet.indexOf(secret.at(-1) as string) + 1) % 32];
  const body = `${prefix}_${tier}_${secret.slice(0, -1)}${last}`;
  return `${body}_${checksumOf(body)}`;
}

/** The checksum of a key: control-plane/license/key.ts. */
function checksumOf(body: string): string {
  const digest = createHash('sha256').update(body).digest();
  const bits = [...digest.subarray(0, 4)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) as string[]).map((group) => alphabet[Number.parseInt(group, 2)]).join('');
}

/** Sends guesses over one connection, each as if from another address. */
function guesserOf(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let clients = 0;
  return async (key: string) => {
    const text = JSON.stringify({ key });
    const client = ++clients;
    const sent = request(`${url}/license/activate`, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'x-forwarded-for': `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`,
      },
    });
    const started = performance.now();
    sent.end(text);
    const [response] = await once(sent, 'response');
    let contents = `${response.statusCode} `;
    for await (const chunk of response) contents += chunk;
    return { milliseconds: performance.now() - started, contents: contents.replace(/"instance":"[^"]*"/, '') };
  };
}
