// What holds for each storage: conditions of writes, parts of files, lists. And what a registry says of a bucket that it
// cannot use.

import t from 'tap';
import { openBucket } from '../storage/bucket.ts';
import { checkBucket } from '../storage/bucket-check.ts';
import { unchanged } from '../storage/storage.ts';
import { makeFolder } from '../testing/index.ts';
import { startS3Service } from '../testing/s3-service.ts';
import { keysOf, kinds, makeStorage, s3Service } from './storages.ts';

const content = (text: string) => Buffer.from(text);

for (const kind of kinds) {
  t.test(`${kind}: of writes at once with one condition, one takes place`, async (t) => {
    const { storage } = await makeStorage(t, kind);
    const key = 'packages/@carton/cart/package.json';
    t.equal(await storage.read(key), undefined);
    t.equal(await storage.write(key, content('changed'), { tag: '"0"' }), undefined, 'there is nothing to replace');
    const first = await Promise.all(['a', 'b', 'c', 'd'].map((text) => storage.write(key, content(text), 'new')));
    const [tag, ...others] = first.filter((each) => each !== undefined) as [string];
    t.strictSame(others, []);
    const second = await Promise.all(['e', 'f', 'g'].map((text) => storage.write(key, content(text), { tag })));
    t.equal(second.filter((each) => each !== undefined).length, 1);
    const winner = ['e', 'f', 'g'][second.findIndex((each) => each !== undefined)];
    const stored = await storage.read(key);
    t.strictSame(stored, { content: content(String(winner)), tag: second.find((each) => each !== undefined) });
    t.equal(
      await storage.read(
        key,
        second.find((each) => each !== undefined),
      ),
      unchanged,
    );
    t.not(await storage.read(key, tag), unchanged);
    t.type(await storage.write(key, content('always'), 'always'), 'string');
    t.match(await storage.read(key), { content: content('always') });
  });

  t.test(`${kind}: parts of files, lists and removals`, async (t) => {
    const made = await makeStorage(t, kind);
    const { storage } = made;
    const key = 'packages/@carton/cart/cart-1.0.0.tgz';
    t.equal(await storage.open(key), undefined);
    await storage.write(key, content('0123456789'), 'new');
    const file = await storage.open(key);
    const read = async (first: number, last: number) =>
      Buffer.concat((await (await file?.read({ first, last }))?.toArray()) ?? []).toString();
    t.equal(file?.size, 10);
    t.strictSame(
      [await read(0, 0), await read(0, 9), await read(3, 5), await read(9, 9)],
      ['0', '0123456789', '345', '9'],
    );
    await file?.close();
    await storage.write('packages/@carton/core/package.json', content('{}'), 'new');
    await storage.write('provenance/releases/00.json', content('{}'), 'new');
    t.strictSame(await keysOf(made, 'packages/'), [key, 'packages/@carton/core/package.json']);
    t.strictSame(await keysOf(made, 'none/'), []);
    await storage.remove(key);
    await storage.remove(key);
    t.strictSame(await keysOf(made, 'packages/'), ['packages/@carton/core/package.json']);
  });
}

t.test('a list of more objects than one page of a bucket has', async (t) => {
  const made = await makeStorage(t, 'a bucket');
  const keys = Array.from({ length: 1005 }, (_, at) => `check/${String(at).padStart(4, '0')}`);
  for (let at = 0; at < keys.length; at += 50) {
    await Promise.all(keys.slice(at, at + 50).map((key) => made.storage.write(key, content(key), 'new')));
  }
  t.strictSame(await keysOf(made, 'check/'), keys);
});

t.test('a bucket that can be used passes the check of the start, which leaves nothing behind', async (t) => {
  const made = await makeStorage(t, 'a bucket');
  await checkBucket(made.storage);
  t.strictSame(await keysOf(made, 'check/'), []);
});

t.test('a service that ignores the conditions of writes is refused', async (t) => {
  const service = await startS3Service(await makeFolder(t), { hasConditions: false });
  t.teardown(() => service.kill());
  const storage = openBucket(service.settings, { log: () => {} });
  await t.rejects(checkBucket(storage), {
    message:
      'the service of REGISTRY_STORAGE does not support conditional writes as Amazon S3 does: it ignores ' +
      'If-None-Match. Use a service that does, or a folder and one registry',
  });
});

t.test('what is wrong with a bucket, and which setting to look at', async (t) => {
  const { settings } = await s3Service(t);
  const unknownKey = () => ({ accessKeyId: 'unknown', secretAccessKey: 'S3RVER' });
  const cases: [changes: Partial<typeof settings>, message: RegExp, fault: string][] = [
    [{ bucket: 'no-such-bucket' }, /^REGISTRY_STORAGE: http:.* has no bucket no-such-bucket: create it/, 'missing'],
    [
      { credentials: unknownKey },
      /refuses the credentials .*\(InvalidAccessKeyId\): check REGISTRY_S3_ACCESS_KEY_ID .* rights .*s3:ListBucket/,
      'denied',
    ],
    [
      { endpoint: 'http://127.0.0.1:9' },
      /^http:\/\/127.0.0.1:9 does not respond .*\(ECONNREFUSED\): check REGISTRY_S3_ENDPOINT/,
      'unreachable',
    ],
  ];
  for (const [changes, message, fault] of cases) {
    const lines: object[] = [];
    const faults = new Set<string | undefined>();
    const storage = openBucket(
      { ...settings, ...changes },
      {
        log: (level, message, fields) => lines.push({ level, message, ...fields }),
        onRequest: (_operation, _seconds, fault) => faults.add(fault),
      },
    );
    await t.rejects(checkBucket(storage), { message }, fault);
    await t.rejects(storage.read('key'), { status: 503, code: 'storage_unavailable', retryAfter: 5 });
    t.equal(lines.length, 1, 'repetitions are not logged');
    t.match(lines[0], { level: 'error', message: 'the storage of packages fails', fault, advice: message });
    t.strictSame([...faults], [fault]);
    await storage.close();
  }
});
