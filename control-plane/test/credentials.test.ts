/**
 * Every operation with the right credential, an invalid one, those of other callers and none.
 */
import t from 'tap';
import { generateKey } from '../license/key.ts';
import { type Row, startWithRows } from './credential-rows.ts';

const { controlPlane, key, rows, secrets, send, documentedPath } = await startWithRows(t);

t.test('the table lists every operation of the document', async (t) => {
  const { paths } = (await controlPlane.server.document()) as { paths: Record<string, Record<string, unknown>> };
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const shape = ({ method, path }: Row) => `${method} ${documentedPath(path)}`;
  t.strictSame(rows.map(shape).sort(), documented.sort());
});

t.test("an invalid credential, another caller's or none is 401", async (t) => {
  for (const row of rows.filter(({ credential }) => credential !== 'public')) {
    const label = `${row.method} ${row.path}`;
    const right = secrets[row.credential as keyof typeof secrets];
    const others = Object.values(secrets).filter((secret) => secret !== right);
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer wrong',
      `Basic ${right}`,
      right,
      `Bearer ${right}x`,
      `Bearer ${right.slice(0, -1)}`,
      ...others.map((secret) => `Bearer ${secret}`),
    ];
    if (row.credential === 'license') wrong.push(`Bearer ${generateKey('basic').key}`);
    for (const authorization of wrong) {
      const response = await send(row, authorization);
      t.equal(response.status, 401, `${label} with ${authorization}`);
      t.equal(response.headers.get('www-authenticate'), 'Bearer');
      t.match(response.headers.get('content-type'), 'application/problem+json');
      t.match(response.body, { code: /^(unauthenticated|license_key_(unknown|malformed))$/, status: 401 });
    }
  }
});

t.test('the right credential is accepted, and public operations ignore credentials', async (t) => {
  for (const row of rows) {
    const label = `${row.method} ${row.path}`;
    if (row.credential !== 'public')
      t.equal((await send(row, `bearer ${secrets[row.credential]}`)).status, row.status, label);
    else
      for (const authorization of [undefined, 'Bearer wrong'])
        t.equal((await send(row, authorization)).status, row.status, label);
  }
});

t.test('a licence key reads only the boxes of its customer', async (t) => {
  const { key: otherKey } = await controlPlane.mint('customer-3');
  const status = { method: 'GET', path: '/boxes/deploy/status?name=shop', credential: 'license', status: 404 } as const;
  t.match(await send(status, `Bearer ${otherKey}`), { status: 404, body: { code: 'not_found' } });
  t.match(await send({ ...status, path: '/boxes/deploy/status' }, `Bearer ${key}`), { status: 400 });
});
