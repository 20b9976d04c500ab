/**
 * The website hosting layer as processes: Caddy, hosting service and control plane in front of two boxes with three
 * tenants, under load, with forged headers, and while a box or the control plane is killed.
 */
import { freePort } from '@carton/runtime/testing';
import { openTenantAt } from '../../tools/load/tenant.ts';
import { secrets, startRigBox } from '../support/box.ts';
import { type Rig, type Stage, skipWithout } from '../support/rig.ts';
import { findMissing, startFront, startLayer } from './layer.ts';
import { directTo, measure, openWithHttp3, overHttp1, overHttp2, type Send } from './visitors.ts';

const path = '/store';
/** Each tenant with its host: exact, internationalised, and by the wildcard of the box that is reached with https. */
const tenants = { linen: 'linen.example', buecher: 'xn--bcher-kva.example', wool: 'wool.shops.example' };
const hosts = Object.values(tenants);

export const rig: Rig = {
  about: 'Websites of three tenants through Caddy, under load, while a box and the control plane are killed.',
  options: {
    requests: { about: 'requests of each measurement', defaultValue: '10000', short: '600' },
    clients: { about: 'concurrent visitors', defaultValue: '16', short: '8' },
  },
  timeLimit: ({ short }) => (short ? 180 : 900),
  async run(stage) {
    skipWithout(findMissing());
    const broken: string[] = [];
    const counts: Record<string, number> = {};
    const expect = (holds: boolean, promise: string) => {
      if (!holds) broken.push(promise);
    };
    const { layer, one } = await startAll(stage);
    const clients = stage.number('clients');
    const load = { clients, requests: stage.number('requests') };
    const http1 = await overHttp1(layer, clients);
    const http2 = await overHttp2(stage, layer);

    const reachAll = async (send: Send, protocol: string, headers: Record<string, string> = {}) => {
      for (const [tenant, host] of Object.entries(tenants)) {
        const { status, text } = await send(host, path, headers);
        const reached = status === 200 && JSON.parse(text).name === tenant;
        expect(reached, `${host} with ${protocol}: ${status} ${text.slice(0, 80)}`);
      }
    };
    stage.say('the first requests, with certificates on demand');
    const began = performance.now();
    await reachAll(http1, 'HTTP/1.1');
    counts.millisecondsOfFirstRequests = Math.round(performance.now() - began);
    await reachAll(http2, 'HTTP/2');
    for (const { protocol, status } of await openWithHttp3(stage, layer, hosts, path)) {
      expect(protocol === 'h3' && status === 200, `a page came with ${protocol} and ${status}, not with HTTP/3`);
    }
    const forged = {
      'x-tenant-slug': 'buecher',
      'x-hosting-secret': 'forged',
      'hosting-tenant-slug': 'buecher',
      'hosting-backend': '127.0.0.1:1',
      'x-forwarded-host': tenants.buecher,
    };
    await reachAll(http1, 'forged headers and HTTP/1.1', forged);
    await reachAll(http2, 'forged headers and HTTP/2', forged);
    const refused = await http1('unknown.example', path).then(
      () => false,
      () => true,
    );
    expect(refused, 'a host that no box serves got a certificate');

    const alone = directTo(one.url, clients);
    const slug = { 'x-tenant-slug': 'linen', 'x-hosting-secret': one.secret };
    const measured = {
      alone: await measure({ ...load, hosts: [tenants.linen] }, (host) => alone(host, path, slug)),
      http1: await measure({ ...load, hosts: [tenants.linen] }, (host) => http1(host, path)),
      http2: await measure({ ...load, hosts: [tenants.linen] }, (host) => http2(host, path)),
      httpsBackend: await measure({ ...load, hosts: [tenants.wool] }, (host) => http1(host, path)),
    };
    for (const [name, { perSecond, p50, p95, failed }] of Object.entries(measured)) {
      stage.say(`${name}: ${perSecond} requests a second, median ${p50} ms, 95 % within ${p95} ms`);
      expect(failed === 0, `${failed} requests failed (${name})`);
      Object.assign(counts, { [`${name}PerSecond`]: perSecond, [`${name}P50`]: p50, [`${name}P95`]: p95 });
    }

    stage.say('killing the control plane');
    await layer.killControlPlane();
    const without = await measure({ ...load, hosts }, (host) => http1(host, path));
    expect(without.failed === 0, `${without.failed} requests failed without a control plane`);

    stage.say('killing a box under load');
    let others = 0;
    const visits = measure({ ...load, hosts: [tenants.linen, tenants.wool] }, async (host) => {
      const cut = { status: 502, text: '' };
      const visit = await http1(host, path).catch((error) => (host === tenants.linen ? cut : Promise.reject(error)));
      if (visit.status !== 200 && (host === tenants.wool || visit.status !== 502)) others++;
      return visit;
    });
    const killed = await one.box.kill();
    counts.pagesWhileBoxWasAway = (await visits).failed;
    expect(others === 0, `${others} requests failed otherwise than with the page of a box that is away`);
    await one.box.untilServes(killed);
    await reachAll(http1, 'HTTP/1.1 after the kill');
    return { broken, counts };
  },
};

/** Starts two boxes, three tenants and the layer in front of them. */
async function startAll(stage: Stage) {
  const ports = [await freePort(), await freePort()] as const;
  const urls = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const front = await startFront(stage, urls[1]);
  const backends = ['one.boxes.example', 'two.boxes.example'];
  const layer = await startLayer(stage, { backends, trusted: front.authority });
  await layer.deploy('one', `http://${backends[0]}:${ports[0]}`, [tenants.linen, 'bücher.example']);
  await layer.deploy('two', `https://${backends[1]}:${front.port}`, ['*.shops.example']);
  const startBox = async (name: string, port: number) => {
    const secret = await layer.replaceSecret(name);
    const environment = { HOSTING_SECRET: secret, TRUST_PROXY: 'loopback' };
    stage.say(`starting the box ${name}`);
    return { box: await startRigBox(stage, { name, port, environment }), secret, url: urls[name === 'one' ? 0 : 1] };
  };
  const [one, two] = [await startBox('one', ports[0]), await startBox('two', ports[1])];
  for (const [slug, host] of Object.entries(tenants)) {
    const { url, secret } = slug === 'wool' ? two : one;
    const options = { secrets: { ...secrets, hostingSecret: secret }, slug, products: 0, stock: 0 };
    const { tenantId } = await openTenantAt(url, options);
    const response = await fetch(`${url}/admin/tenants/${tenantId}/domains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets.operatorSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ host }),
    });
    if (response.status !== 201) throw new Error(`a host was not added: ${await response.text()}`);
  }
  return { layer, one, two };
}
