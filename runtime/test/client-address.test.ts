/**
 * The address of the hosting layer is that of many clients, unless it tells for whom it sends a request.
 */
import type { Context } from 'koa';
import { pino } from 'pino';
import t from 'tap';
import { requestServices } from '../box/services.ts';
import { hostingSecretHeader, type TenantScope } from '../box/tenancy.ts';

const scope = { tenant: null, db: null, secrets: { operator: undefined, hosting: 'shared' } } as unknown as TenantScope;

function isShared({ peer, ip = peer, secret = '' }: { peer: string; ip?: string; secret?: string }): boolean {
  const get = (name: string) => (name === hostingSecretHeader ? secret : '');
  const ctx = { ip, req: { socket: { remoteAddress: peer } }, get } as unknown as Context;
  return requestServices(ctx, scope, null, { box: null as never, log: pino({ level: 'silent' }) }).client.isShared;
}

t.test('of a request with the hosting secret', async (t) => {
  t.equal(isShared({ peer: '203.0.113.9', secret: 'shared' }), true, 'it names no client');
  t.equal(isShared({ peer: '203.0.113.9', ip: '192.0.2.1', secret: 'shared' }), false, 'it names one');
  t.equal(isShared({ peer: '203.0.113.9', secret: 'guessed' }), false);
  t.equal(isShared({ peer: '203.0.113.9' }), false);
});
