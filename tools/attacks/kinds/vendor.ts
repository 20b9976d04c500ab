/**
 * The network and the records of the vendor: addresses inside it, and formulas in exports.
 */
import { randomBytes } from 'node:crypto';
import { callerOf } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { send } from '../wire.ts';

export const vendor: readonly Attack[] = [
  {
    name: 'vendor: addresses inside',
    tries: 'webhooks and boxes lead to loopback, link-local and private addresses, in all notations and by names',
    async run(target, observe) {
      const { admin, visitor } = target.controlPlane;
      target.dns['public.attack.shop'] = { a: ['203.0.113.7'] };
      target.dns['loopback.attack.shop'] = { a: ['127.0.0.1'] };
      target.dns['both.attack.shop'] = { a: ['203.0.113.7', '10.1.2.3'] };
      target.dns['metadata.attack.shop'] = { a: ['169.254.169.254'] };
      const create = (url: string) => admin.post('/webhooks', { url });
      const allowed = await create('https://public.attack.shop/hook');
      observe.works('a public address', allowed, 201);
      observe.works('its removal', await admin.delete(`/webhooks/${allowed.body.id}`), 204);
      const invalid = { status: 400, code: 'invalid_request' };
      const isPrivate = [
        'localhost',
        'box.localhost',
        'box.internal',
        'backend',
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f.1',
      ];
      const more = ['0177.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '[::1]', '[fd12:3456::1]'];
      const mapped = [
        '[::ffff:127.0.0.1]',
        '[::ffff:a00:1]',
        '[0:0:0:0:0:ffff:7f00:1]',
        'loopback.attack.shop',
        'both.attack.shop',
      ];
      const never = [
        '0.0.0.0',
        '169.254.169.254',
        '[::]',
        '[fe80::1]',
        '[::ffff:169.254.169.254]',
        '[::ffff:0:127.0.0.1]',
      ];
      const translated = [
        '[64:ff9b::a9fe:a9fe]',
        '[2002:7f00:1::]',
        '[2001::1]',
        '[::7f00:1]',
        'metadata.attack.shop',
        '224.0.0.1',
      ];
      for (const host of [...isPrivate, ...more, ...mapped, ...never, ...translated]) {
        observe.refused(`https://${host}`, await create(`https://${host}/hook`), invalid);
      }
      for (const url of [
        'http://public.attack.shop/',
        'file:///etc/passwd',
        'gopher://127.0.0.1',
        'https://a:b@public.attack.shop',
      ]) {
        observe.refused(url, await create(url), invalid);
      }
      // The boxes of this stack may have private addresses, but never the others.
      const { key } = await target.mintKey();
      const deploy = (url: string) =>
        visitor.post('/boxes/deploy', { key, name: 'shop', backendUrl: url, domains: [] });
      observe.works('a box', await deploy('https://public.attack.shop'));
      for (const host of [...never, ...translated])
        observe.refused(`a box at ${host}`, await deploy(`https://${host}`), invalid);
    },
  },
  {
    name: 'vendor: formulas in exports',
    tries: 'what a customer and the registry report is a formula in the CSV of the vendor',
    async run(target, observe) {
      const { admin, url } = target.controlPlane;
      const registry = callerOf(url, { authorization: `Bearer ${target.settings.secrets.registry}` });
      const customerId = `=cmd|'/c calc'!A0 ${randomBytes(4).toString('hex')}`;
      const report = { customerId, tier: 'basic', packageName: '@carton/cart', version: '1.0.0', outcome: 'allowed' };
      observe.works('a report', await registry.post('/telemetry/download', report), 202);
      const exported = await admin.get(`/telemetry/downloads/csv?customerId=${encodeURIComponent(customerId)}`);
      observe.works('the export', exported);
      const lines = String(exported.body).split('\r\n');
      observe.is(
        'it is exported',
        lines.some((line) => line.includes('cmd|')),
        true,
      );
      observe.is(
        'a cell is a formula',
        lines.some((line) => /(^|,)"?=/.test(line)),
        false,
      );
    },
  },
  {
    name: 'vendor: the hosting service',
    tries: 'the route of a host, and whether it gets a certificate, are asked without and with wrong secrets',
    async run({ settings }, observe) {
      const { ports, secrets } = settings;
      const host = { 'hosting-host': 'nobody.example' };
      const route = (authorization?: string) =>
        send(ports.hosting, { path: '/route', headers: { ...host, ...(authorization && { authorization }) } });
      observe.works('the proxy', await route(`Bearer ${secrets.proxy}`), 404);
      for (const wrong of [
        undefined,
        'Bearer x',
        `Basic ${secrets.proxy}`,
        `Bearer ${secrets.hosting}`,
        `Bearer ${secrets.proxy}x`,
      ])
        observe.refused(`a route with ${wrong?.split(' ')[0] ?? 'nothing'}`, await route(wrong), { status: 401 });
      for (const domain of ['nobody.example', '127.0.0.1', 'localhost', '..', `x.${'a'.repeat(300)}`, '%00']) {
        const answer = await send(ports.hosting, { path: `/ask?domain=${domain}` });
        observe.refused(`a certificate of ${domain.slice(0, 12)}`, answer, { status: 404 });
      }
    },
  },
];
