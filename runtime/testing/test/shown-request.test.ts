/**
 * A failure of the contract suite shows its request, or says where all of it can be read.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import t, { type Test } from 'tap';
import type { RequestValues } from '../contract/client.ts';
import { showRequest } from '../contract/shown-request.ts';

/** What a line shows of a request, and the request in the file that it names. */
function shownAndComplete(t: Test, request: RequestValues): { shown: string; complete: unknown } {
  const [, shown, file] = /^(.*) \(complete in (.*search\.json)\)$/s.exec(showRequest(request, 'search')) ?? [];
  if (shown === undefined || file === undefined) throw new Error('the line names no file');
  t.teardown(() => rmSync(dirname(file), { recursive: true }));
  return { shown, complete: JSON.parse(readFileSync(file, 'utf8')) };
}

t.test('a request of usual size is complete in the line', (t) => {
  const items = Array.from({ length: 20 }, (_, at) => ({ lineItemId: `item-${at}`, amount: { amount: at } }));
  const request = { params: { id: 'a' }, body: { items, shipping: [{ toString: null }] }, headers: { cookie: '\\' } };
  t.strictSame(JSON.parse(showRequest(request, 'search')), request);
  t.end();
});

t.test('long texts are shortened in the line, so that what follows them is seen', (t) => {
  const request = { body: { text: 'a'.repeat(70_000), more: { toString: null } }, headers: { accept: '*' } };
  const { shown, complete } = shownAndComplete(t, request);
  t.match(JSON.parse(shown), {
    body: { text: /^a{100}… \(70000 characters\)$/, more: { toString: null } },
    headers: { accept: '*' },
  });
  t.strictSame(complete, request);
  t.end();
});

t.test('of many values and of bytes, the line has the beginning and the length', (t) => {
  const many = { body: Array.from({ length: 2000 }, (_, at) => at) };
  const { shown, complete } = shownAndComplete(t, many);
  t.match(shown, /^\{"body":\[0,1,2,.*…$/);
  t.strictSame(complete, many);
  const bytes = { raw: Buffer.alloc(1000, 0xfe), chunked: true };
  const ofBytes = shownAndComplete(t, bytes);
  t.strictSame(JSON.parse(ofBytes.shown), { raw: '1000 bytes', chunked: true });
  t.strictSame(Buffer.from((ofBytes.complete as { raw: { data: number[] } }).raw.data), bytes.raw);
  t.end();
});
