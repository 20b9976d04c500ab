/**
 * A tarball whose connection breaks is continued where it ended, and its digest decides whether the parts belong together.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { scope } from '../vendor.ts';
import { key, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const large = makePackage({ name: core }, [{ path: 'dist/data.bin', content: randomBytes(600_000) }]);
const { tarball } = large;
const half = Math.floor(tarball.length / 2);
const vendor = await startVendor([makeRuntime(), large], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
t.teardown(() => vendor.close());

interface Asked {
  range: string | undefined;
  'if-range': string | undefined;
}

type Respond = (response: ServerResponse, asked: Asked) => void;

/** Has each request for the tarball answered by the next of these. @returns what was asked */
function answer(...responses: Respond[]): Asked[] {
  const asked: Asked[] = [];
  vendor.intercept = (path: string, { headers }: IncomingMessage, response) => {
    if (!path.startsWith(`/${core}/-/`)) return false;
    const own = { range: headers.range, 'if-range': headers['if-range'] as string | undefined };
    asked.push(own);
    (responses[asked.length - 1] ?? whole())(response, own);
    return true;
  };
  return asked;
}

const named = { 'accept-ranges': 'bytes', etag: '"one"' };
const whole =
  (headers: Record<string, string> = named): Respond =>
  (response) =>
    response.writeHead(200, { ...headers, 'content-length': tarball.length }).end(tarball);
/** Breaks the connection after half of the tarball. */
const broken =
  (headers: Record<string, string> = named): Respond =>
  (response) => {
    response.writeHead(200, { ...headers, 'content-length': tarball.length });
    response.write(tarball.subarray(0, half), () => setTimeout(() => response.destroy(), 200));
  };
/** Sends what was asked for. */
const rest =
  (content = tarball): Respond =>
  (response, { range }) => {
    const [, first] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
    const part = content.subarray(Number(first));
    response.writeHead(206, {
      ...named,
      'content-range': `bytes ${first}-${content.length - 1}/${content.length}`,
      'content-length': part.length,
    });
    response.end(part);
  };

const nothing = { range: undefined, 'if-range': undefined };
const fromHalf = { range: `bytes=${half}-`, 'if-range': '"one"' };

for (const [name, responses, expected] of [
  ['continued', [broken(), rest()], [nothing, fromHalf]],
  ['another tarball meanwhile: from the start', [broken(), whole({ ...named, etag: '"two"' })], [nothing, fromHalf]],
  ['without ranges: from the start', [broken({}), whole({})], [nothing, nothing]],
  [
    'a body that is encoded: from the start',
    [broken({ ...named, 'content-encoding': 'identity' })],
    [nothing, nothing],
  ],
  [
    'a weak entity tag',
    [broken({ ...named, etag: 'W/"one"' }), rest()],
    [nothing, { ...fromHalf, 'if-range': undefined }],
  ],
  [
    'a rest of something else is not trusted',
    [broken(), rest(randomBytes(tarball.length))],
    [nothing, fromHalf, nothing],
  ],
  [
    'a range that is refused: from the start',
    [broken(), (response) => response.writeHead(416).end()],
    [nothing, fromHalf, nothing],
  ],
] as [string, Respond[], Asked[]][]) {
  t.test(name, async (t) => {
    const box = await makeBox(t, vendor);
    const asked = answer(...responses);
    t.match(await box.install(['--no-start']), { exitCode: 0 });
    t.match(asked, exactly(expected));
  });
}

t.test('a connection that breaks after the last byte', async (t) => {
  const box = await makeBox(t, vendor);
  const asked = answer((response) => {
    response.writeHead(200, { ...named, 'content-length': tarball.length });
    response.write(tarball, () => setTimeout(() => response.destroy(), 200));
  });
  t.match(await box.install(['--no-start']), { exitCode: 0 });
  t.match(asked, exactly([nothing]));
});
