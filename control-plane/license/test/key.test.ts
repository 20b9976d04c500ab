/**
 * Licence keys: their format, and the detection of mistyped ones.
 */
import { hashToken, tiers } from '@carton/runtime/service';
import t from 'tap';
import { generateKey, parseKey } from '../key.ts';

t.test('a key has the documented format and is parsed', async (t) => {
  for (const tier of tiers) {
    const { key, hash, last4 } = generateKey(tier);
    t.match(key, new RegExp(`^ctn_${tier}_[a-z2-7]{32}_[a-z2-7]{6}$`));
    t.equal(hash, hashToken(key));
    t.equal(last4, key.slice(-4));
    const random = key.split('_')[2] as string;
    t.strictSame(parseKey(key), { tier, hash, guessPrefix: random.slice(0, 8) });
  }
});

t.test('keys are unique, and every character occurs at each position of the random part', async (t) => {
  const keys = Array.from({ length: 2000 }, () => generateKey('basic').key);
  t.equal(new Set(keys).size, keys.length);
  for (let position = 0; position < 32; position += 1) {
    const seen = new Set(keys.map((key) => key.split('_')[2]?.[position]));
    t.equal(seen.size, 32, `position ${position}`);
  }
});

t.test('every single typing error is detected', async (t) => {
  const { key } = generateKey('growth');
  const undetected: string[] = [];
  for (let position = 0; position < key.length; position += 1) {
    const other = key[position] === 'a' ? 'b' : 'a';
    const mistyped = [
      key.slice(0, position) + other + key.slice(position + 1),
      key.slice(0, position) + key.slice(position + 1),
      key.slice(0, position) + other + key.slice(position),
    ];
    const [here, next] = [key[position], key[position + 1]];
    if (next !== undefined && here !== next) {
      mistyped.push(key.slice(0, position) + next + here + key.slice(position + 2));
    }
    undetected.push(...mistyped.filter((text) => parseKey(text) !== null));
  }
  t.strictSame(undetected, []);
});

t.test('other texts are not parsed', async (t) => {
  const { key } = generateKey('basic');
  const wrong = [
    '',
    'ctn',
    'ctn_basic',
    key.toUpperCase(),
    ` ${key}`,
    `${key}\n`,
    key.replace('basic', 'enterprise'),
    key.replace('basic', 'platinum'),
    key.replace('ctn_', 'sk_'),
    `${key}${key}`,
  ];
  for (const text of wrong) t.equal(parseKey(text), null, JSON.stringify(text));
});
