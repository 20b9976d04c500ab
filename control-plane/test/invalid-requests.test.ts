/**
 * Requests that are rejected before they reach a handler.
 */
import t from 'tap';
import { startWithRows } from './credential-rows.ts';

const { controlPlane, rows } = await startWithRows(t);

t.test('invalid requests are rejected before they reach a handler', async (t) => {
  const { admin } = controlPlane;
  const json = { 'content-type': 'application/json' };
  const cases: [label: string, response: Promise<unknown>, status: number, code: string][] = [
    ['broken JSON', admin.post('/license/keys', '{"customerId":'), 400, 'malformed_json'],
    ['no body', admin.call('POST', '/license/keys'), 400, 'invalid_request'],
    ['an empty body', admin.call('POST', '/license/keys', { body: '', headers: json }), 400, 'invalid_request'],
    ['an array', admin.post('/license/keys', []), 400, 'invalid_request'],
    ['null', admin.post('/license/keys', 'null'), 400, 'invalid_request'],
    [
      'a form',
      admin.post('/license/keys', 'tier=basic', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'text',
      admin.post('/license/keys', '{}', { headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'a body that is too large',
      admin.post('/license/keys', { customerId: 'c'.repeat(2_000_000), tier: 'basic' }),
      413,
      'body_too_large',
    ],
    ['an unknown path', admin.get('/licenses'), 404, 'not_found'],
    ['an unknown query parameter', admin.get('/license/keys?page=2'), 400, 'invalid_request'],
  ];
  for (const [label, response, status, code] of cases) t.match(await response, { status, body: { code } }, label);
  for (const row of rows.filter(({ path }) => path !== '/docs')) {
    const response = await controlPlane.visitor().call('PUT', row.path.split('?')[0] as string);
    t.match(response, { status: 405, body: { code: 'method_not_allowed' } }, row.path);
    t.match(response.headers.get('allow'), row.method);
  }
});

t.test('a problem reveals nothing of the implementation', async (t) => {
  const response = await controlPlane.admin.get(
    '/license/keys?cursor=WyJuZXdlc3QiLCJub3QgYSB0aW1lIiwiMDFhMWZkYWEtNDNiMS03MWNlLTlmNzUtYTE0MTQ4MDZiOGEyIl0',
  );
  t.match(response, { status: 400, body: { code: 'invalid_request' } });
  t.notMatch(JSON.stringify(response.body), /select|license_keys|\.ts|timestamp/);
});
