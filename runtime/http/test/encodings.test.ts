/**
 * Bodies that are not what JSON can say, or not what JavaScript keeps: refused instead of changed.
 */
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { changedNumber } from '../json-numbers.ts';
import { startNotes } from './notes.ts';

const { server, received } = await startNotes(t);

async function send(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}
const refusedAt = (pointer: string, detail: RegExp | string) => ({
  status: 400,
  body: { code: 'invalid_request', errors: exactly([{ in: 'body', pointer, detail }]) },
});

t.test('texts of all languages arrive as they were sent', async (t) => {
  const data = { ключ: 'ß Ł 東京 العربية \u{1f600} \ufffd \ufeff é e\u0301' };
  const text = JSON.stringify({ data });
  const escaped = text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const forms: [string | Uint8Array, Record<string, string>][] = [
    [text, {}],
    [escaped, {}],
    [`\ufeff${text}`, {}],
    [text, { 'content-type': 'application/json; charset=utf-8' }],
    [text, { 'content-type': 'application/vnd.api+json; charset="UTF-8"' }],
    [gzipSync(text), { 'content-encoding': 'gzip' }],
  ];
  for (const [body, headers] of forms) {
    t.equal((await send(body, headers)).status, 204, JSON.stringify(headers));
    t.strictSame(received.splice(0), [data]);
  }
});

t.test('bytes that are not UTF-8', async (t) => {
  const around = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"data":{"a":"'), Buffer.from(bytes), Buffer.from('"}}')]);
  for (const bytes of [around(0xff), around(0xc3), around(0xe9), around(0xc0, 0x80), around(0xed, 0xa0, 0x80)]) {
    for (const [body, headers] of [
      [bytes, {}],
      [gzipSync(bytes), { 'content-encoding': 'gzip' }],
    ] as const) {
      t.match(await send(body, headers), { status: 400, body: { code: 'malformed_json', detail: /not UTF-8/ } });
    }
  }
  t.strictSame(received, []);
});

t.test('another charset', async (t) => {
  for (const charset of ['iso-8859-1', 'utf-16', 'windows-1252', 'us-ascii']) {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    t.match(await send('{"data":{}}', headers), { status: 415, body: { code: 'unsupported_media_type' } }, charset);
  }
  t.strictSame(received, []);
});

t.test('halves of surrogate pairs', async (t) => {
  const detail = 'must not contain half of a surrogate pair';
  t.match(await send('{"data":{"a":["x",{"b":"\\ud800"}]}}'), refusedAt('/data/a/1/b', detail));
  t.match(await send('{"data":{"a":"\\udc00\\ud800"}}'), refusedAt('/data/a', detail));
  t.match(await send('{"data":{"\\udfff":1}}'), refusedAt('/data', detail));
  t.strictSame(received, []);
});

t.test('numbers', async (t) => {
  const kept = '{"a":[9007199254740991,0.1,1.10,1e22,-0,0.000001,100000000000000000000,1E+2,123456789.123456,5e-324]}';
  t.equal((await send(`{"data":${kept}}`)).status, 204);
  t.strictSame(received.splice(0), [JSON.parse(kept)]);
  const texts = '{"a":"12345678901234567890 \\" 1e400","b 12345678901234567890":1}';
  t.equal((await send(`{"data":${texts}}`)).status, 204, 'as text');
  t.strictSame(received.splice(0), [JSON.parse(texts)]);
  for (const number of [
    '12345678901234567890',
    '9007199254740993',
    '1e400',
    '-1e400',
    '0.1234567890123456789',
    '1e-400',
  ]) {
    const answer = await send(`{"data":{"x":"${number}","a":[1,{"b/c":${number}}]}}`);
    t.match(
      answer,
      refusedAt('/data/a/1/b~1c', `must be a number that JavaScript keeps, unlike ${number}: send it as a text`),
    );
  }
  t.match(await send(`{"data":{"a":${'1'.repeat(5000)}}}`), refusedAt('/data/a', /unlike 1{40}…: send/));
  t.match(await send(`${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`), { status: 400 });
  t.strictSame(received, []);
  t.equal(changedNumber('[1]', [1]), null);
});
