// Registries on a bucket of an S3-compatible service: two at once lose no version, npm's client works, and an outage of the
// bucket ends downloads without wrong bytes.

import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import pacote from 'pacote';
import t, { type Test } from 'tap';
import type { Registry } from '../index.ts';
import {
  generateKey,
  makeFolder,
  makePackage,
  npm,
  openRegistry,
  publish,
  publishSecret,
  send,
  signToken,
  startControlPlaneStub,
  waitUntil,
} from '../testing/index.ts';
import { startS3Service } from '../testing/s3-service.ts';
import { makeKey } from './package-key.ts';
import { change, integrityOf, publicationOf, publishVersion, readPackument, versionsOf } from './publications.ts';
import { keysOf, makeStorage } from './storages.ts';

const key = generateKey();
const controlPlane = await startControlPlaneStub(t, [key]);
const cart = '@carton/cart';
const metricsSecret = 'metrics-secret-of-the-tests';

/** Two registries on one bucket. */
async function startTwo(t: Test) {
  const made = await makeStorage(t, 'a bucket');
  const start = async () =>
    (await openRegistry(t, { controlPlane, metricsSecret, ...(await made.options()) })).registry;
  return { made, registries: [await start(), await start()] as const };
}

t.test('versions that two registries publish at the same time are all there, in both', async (t) => {
  const { made, registries } = await startTwo(t);
  const versions = Array.from({ length: 40 }, (_, at) => `1.0.${at + 10}`);
  const publishOne = (version: string, at: number) =>
    publishVersion(registries[at % 2] as Registry, cart, version, `content of ${version}`);
  const answers = await Promise.all(versions.map(publishOne));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]));
  for (const registry of registries) t.strictSame(await versionsOf(registry, cart), { versions, wrong: [] });
  const tarballs = versions.map((version) => `packages/@carton/cart/cart-${version}.tgz`);
  t.strictSame(await keysOf(made, 'packages/'), [...tarballs, 'packages/@carton/cart/package.json'].sort());
  const metrics = await Promise.all(registries.map((registry) => send(registry, '/metrics', metricsSecret)));
  const conflicts = metrics.map(({ body }) =>
    Number(/^carton_registry_packument_conflicts_total (\d+)$/m.exec(body)?.[1]),
  );
  t.ok(
    conflicts.some((count) => count > 0),
    `they met: ${conflicts}`,
  );
  t.match(metrics[0]?.body, /^carton_registry_bucket_request_seconds_count\{operation="write"\} \d+$/m);
});

t.test(
  'of two registries that publish the same version, one succeeds, and its tarball is the one that is served',
  async (t) => {
    const { registries } = await startTwo(t);
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
      const contents = registries.map((_, at) => `${version} of registry ${at}`);
      const answers = await Promise.all(
        registries.map((registry, at) => publishVersion(registry, cart, version, contents[at] as string)),
      );
      t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
      const winner = contents[answers.findIndex(({ status }) => status === 201)] as string;
      t.equal((await readPackument(registries[0], cart)).versions[version].dist.integrity, integrityOf(winner));
    }
    const versions = ['1.0.0', '1.1.0', '1.2.0'];
    for (const registry of registries) t.strictSame(await versionsOf(registry, cart), { versions, wrong: [] });
  },
);

t.test('deprecations, dist-tags and removals by one registry while the other publishes lose nothing', async (t) => {
  const { registries } = await startTwo(t);
  const [one, other] = registries;
  await publishVersion(one, cart, '1.0.0', 'one');
  const read = await readPackument(one, cart);
  const versions = Array.from({ length: 8 }, (_, at) => `2.0.${at}`);
  const tagging = versions.map((_, at) => change(one, 'PUT', `/-/package/@carton%2fcart/dist-tags/t${at}`, '1.0.0'));
  const publishing = versions.map((version) => publishVersion(other, cart, version, version));
  const answers = await Promise.all([...tagging, ...publishing]);
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]));
  t.match(await change(one, 'DELETE', `/@carton%2fcart/-rev/${read._rev}`), { status: 409 });
  t.strictSame(await versionsOf(one, cart), { versions: ['1.0.0', ...versions], wrong: [] });
  const { 'dist-tags': tags } = await readPackument(other, cart);
  t.strictSame(Object.keys(tags).sort(), ['latest', ...versions.map((_, at) => `t${at}`)].sort());

  const { _rev } = await readPackument(other, cart);
  t.match(await change(one, 'DELETE', `/@carton%2fcart/-rev/${_rev}`), { status: 201 });
  t.strictSame(await versionsOf(other, cart), { versions: [], wrong: [] });
  t.match(await publishVersion(other, cart, '1.0.0', 'other content'), { status: 201 });
});

t.test("npm's own client publishes, views, installs, tags, deprecates and unpublishes", async (t) => {
  const { registries } = await startTwo(t);
  const [one, other] = registries;
  await publish(
    t,
    one,
    { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
    { name: cart, version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '^1.0.0' } },
  );
  const token = await signToken(key, other.url, { packages: ['@carton/core', cart] });
  const project = await makePackage(t, { name: 'project', version: '1.0.0' });
  const installed = await npm(other, project, token, 'install', cart);
  t.equal(installed.code, 0, installed.output);
  t.match(await readFile(join(project, 'node_modules/@carton/core/package.json'), 'utf8'), '@carton/core');
  await waitUntil(() => controlPlane.state.received.length >= 2);
  t.strictSame(
    controlPlane.state.received.map(({ report }) => report.packageName).sort(),
    [cart, '@carton/core'],
    'each tarball is reported once',
  );
  const run = (...words: string[]) => npm(one, project, publishSecret, ...words);
  t.equal((await run('dist-tag', 'add', '@carton/cart@1.2.0', 'lts')).code, 0);
  t.equal((await run('deprecate', '@carton/cart@1.2.0', 'Use 1.3.0')).code, 0);
  const viewed = await npm(
    other,
    project,
    publishSecret,
    'view',
    cart,
    'version',
    'dist-tags.lts',
    'deprecated',
    '--json',
  );
  t.strictSame(JSON.parse(viewed.output), { version: '1.2.0', 'dist-tags.lts': '1.2.0', deprecated: 'Use 1.3.0' });
  const found = await send(one, '/-/v1/search?text=core', publishSecret);
  t.strictSame(
    JSON.parse(found.body).objects.map((each: { package: { name: string } }) => each.package.name),
    ['@carton/core'],
  );
  t.equal((await run('unpublish', '--force', cart)).code, 0);
  t.equal(await readPackument(other, cart), undefined);
});

t.test(
  "npm's own verification accepts signed versions, and finds a forged tarball; provenance is in the bucket, too",
  async (t) => {
    const made = await makeStorage(t, 'a bucket');
    const signer = makeKey();
    const packageKeysFile = join(await makeFolder(t), 'keys.json');
    await writeFile(packageKeysFile, JSON.stringify({ keys: [signer.published] }));
    const { registry, tokenOf } = await openRegistry(t, {
      controlPlane,
      packageKeysFile,
      ...(await made.options()),
    });
    t.match(await publishVersion(registry, cart, '1.0.0', 'code'), {
      status: 403,
      body: { code: 'signature_missing' },
    });
    const body = publicationOf(cart, '1.0.0', 'code');
    const [version] = Object.values(body.versions);
    Object.assign(version?.dist ?? {}, { signatures: [signer.sign(`${cart}@1.0.0:${integrityOf('code')}`)] });
    t.match(await change(registry, 'PUT', '/@carton%2fcart', body), { status: 201 });

    const token = await tokenOf();
    const address = `${registry.url.replace('http:', '')}/`;
    const { keys } = JSON.parse((await send(registry, '/-/npm/v1/keys')).body);
    const options = {
      registry: registry.url,
      [`${address}:_authToken`]: token,
      [`${address}:_keys`]: keys.map((each: { key: string }) => ({
        ...each,
        pemkey: `-----BEGIN PUBLIC KEY-----\n${each.key}\n-----END PUBLIC KEY-----`,
      })),
      cache: await makeFolder(t),
      verifySignatures: true,
    } as pacote.Options;
    const manifest = await pacote.manifest('@carton/cart@1.0.0', options);
    t.equal(manifest._integrity, integrityOf('code'));
    t.equal((await pacote.tarball('@carton/cart@1.0.0', options)).toString(), 'code');
    await made.storage.write('packages/@carton/cart/cart-1.0.0.tgz', Buffer.from('evil'), 'always');
    const fresh = { ...options, cache: await makeFolder(t), integrity: manifest._integrity };
    await t.rejects(pacote.tarball('@carton/cart@1.0.0', fresh), { code: 'EINTEGRITY' });

    const sha512 = Buffer.from(integrityOf('code').slice('sha512-'.length), 'base64').toString('hex');
    const type = 'application/vnd.in-toto+json';
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: [{ digest: { sha512 } }],
    };
    const payload = Buffer.from(JSON.stringify(statement));
    const signatures = [signer.sign(`DSSEv1 ${type.length} ${type} ${payload.length} ${payload}`)];
    const envelope = { payloadType: type, payload: payload.toString('base64'), signatures };
    const path = '/-/carton/v1/provenance/@carton%2fcart@1.0.0';
    t.equal((await send(registry, path, token)).status, 404);
    t.match(await change(registry, 'PUT', path, envelope), { status: 201 });
    t.strictSame(JSON.parse((await send(registry, path, token)).body), envelope);
    t.strictSame(await keysOf(made, 'provenance/'), [`provenance/packages/${sha512}.json`]);
  },
);

t.test('parts of tarballs, their tags and conditions are as from a folder', async (t) => {
  const { registries } = await startTwo(t);
  const [registry] = registries;
  const content = 'the content of a tarball';
  await publishVersion(registry, cart, '1.0.0', content);
  const token = await signToken(key, registry.url);
  const path = '/@carton/cart/-/cart-1.0.0.tgz';
  const get = async (headers: Record<string, string>, method = 'GET') => {
    const response = await send(registry, path, token, { headers, method });
    const { status, headers: sent, body } = response;
    return [status, sent['content-length'], sent['content-range'], sent.etag, body];
  };
  const [size, tag] = [content.length, `"${integrityOf(content)}"`];
  t.strictSame(await get({}), [200, `${size}`, undefined, tag, content]);
  t.strictSame(await get({}, 'HEAD'), [200, `${size}`, undefined, tag, '']);
  t.strictSame(await get({ Range: 'bytes=0-0' }), [206, '1', `bytes 0-0/${size}`, tag, 't']);
  t.strictSame(await get({ Range: 'bytes=4-' }), [
    206,
    `${size - 4}`,
    `bytes 4-${size - 1}/${size}`,
    tag,
    content.slice(4),
  ]);
  t.strictSame(await get({ Range: `bytes=${size}-` }), [416, '0', `bytes */${size}`, tag, '']);
  t.strictSame(await get({ 'If-None-Match': tag }), [304, undefined, undefined, tag, '']);
  t.strictSame(await get({ Range: 'bytes=4-', 'If-Range': '"other"' }), [200, `${size}`, undefined, tag, content]);
});

t.test(
  'a client that goes away in a download is no fault of the bucket, and its connection to it is closed',
  async (t) => {
    const made = await makeStorage(t, 'a bucket');
    const lines: string[] = [];
    const { registry, tokenOf } = await openRegistry(t, {
      controlPlane,
      metricsSecret,
      ...(await made.options()),
      log: (_level, message) => lines.push(message),
    });
    await publishVersion(registry, cart, '1.0.0', 'a large tarball '.repeat(2_000_000));
    lines.length = 0;
    const headers = { authorization: `Bearer ${await tokenOf()}` };
    await new Promise<void>((resolve, reject) => {
      const path = `${registry.localUrl}/@carton/cart/-/cart-1.0.0.tgz`;
      const sent = request(path, { headers, agent: false }, (response) => {
        response.once('data', () => sent.destroy());
        response.once('close', () => resolve()).on('error', () => {});
      });
      sent.on('error', reject).end();
    });
    await waitUntil(() => lines.includes('request'));
    // The object can be changed only when nobody reads it any more.
    await made.storage.write('packages/@carton/cart/cart-1.0.0.tgz', Buffer.from('other'), 'always');
    t.strictSame(lines, ['request']);
    const { body } = await send(registry, '/metrics', metricsSecret);
    t.notMatch(body, 'carton_registry_storage_faults_total{');
  },
);

t.test('an outage of the bucket is 503 before and a lost connection in a download; then it is resumed', async (t) => {
  const service = await startS3Service(await makeFolder(t));
  t.teardown(() => service.kill());
  const lines: string[] = [];
  const { registry, tokenOf } = await openRegistry(t, {
    controlPlane,
    metricsSecret,
    storage: service.settings,
    home: await makeFolder(t),
    log: (_level, message) => lines.push(message),
  });
  const content = 'a large tarball '.repeat(2_000_000);
  await publishVersion(registry, cart, '1.0.0', content);
  const token = await tokenOf();
  const path = '/@carton/cart/-/cart-1.0.0.tgz';
  controlPlane.state.received.length = 0;

  // The client reads a little, and the rest after the service has gone.
  const received = await new Promise<Buffer>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(registry.localUrl + path, { headers, agent: false }, async (response) => {
      t.equal(response.statusCode, 200);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) {
          if (chunks.length === 0) await service.kill();
          chunks.push(chunk);
        }
        reject(new Error('the download is complete'));
      } catch {
        resolve(Buffer.concat(chunks));
      }
    });
    sent.once('error', reject).end();
  });
  t.ok(received.length > 0 && received.length < content.length, `${received.length} bytes of ${content.length}`);
  t.ok(received.equals(Buffer.from(content.slice(0, received.length))), 'all of them are right');
  t.match(await send(registry, path, token), { status: 503, headers: { 'retry-after': '5' } });
  const refused = await publishVersion(registry, cart, '1.1.0', 'content');
  t.match(refused, { status: 503, body: { code: 'storage_unavailable', error: /does not respond: try again/ } });
  // What was read two seconds ago is not trusted any longer.
  await waitUntil(async () => (await send(registry, '/@carton%2fcart', token)).status === 503);
  t.equal((await send(registry, '/-/ping')).status, 200);
  t.ok(lines.includes('the storage of packages fails'));
  const { body } = await send(registry, '/metrics', metricsSecret);
  t.match(body, /^carton_registry_storage_faults_total\{operation="\w+",fault="unreachable"\} [1-9]/m);

  await service.start();
  const rest = await send(registry, path, token, {
    headers: { Range: `bytes=${received.length}-`, 'If-Range': `"${integrityOf(content)}"` },
  });
  t.equal(rest.status, 206);
  t.ok(received.toString() + rest.body === content, 'the download was resumed');
  await waitUntil(() => controlPlane.state.received.length > 0);
  t.equal(controlPlane.state.received.length, 1, 'and is reported once');
  t.match(await publishVersion(registry, cart, '1.1.0', 'content'), { status: 201 });
});
