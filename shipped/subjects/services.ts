/**
 * The box with services outside of it: payments, prices of carriers, proofs of tax numbers, a bucket, traces. Each is
 * loaded with its setting, so the box is started again with these settings, and then with the former ones.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createForSale } from '@carton/cart/testing';
import { carrierServiceSettings, startCarrierService } from '@carton/easypost/testing';
import { bodyOf, freePort, s3Account, startS3Service, temporaryFolder, until } from '@carton/runtime/testing';
import { Shopper, startSimulator, webhookSecret } from '@carton/stripe/testing';
import { startVies, viesEnvironment } from '@carton/vies/testing';
import sharp from 'sharp';
import { startCollector } from '../../runtime/operations/test/collector.ts';
import { repository } from '../../tools/packages/sources.ts';
import { readServices } from '../../tools/shipped-stack/containerfile.ts';
import { cartonOfBox } from '../../tools/shipped-stack/machine.ts';
import { startService } from '../../tools/shipped-stack/processes.ts';
import { localUrl, logFile, servicesFolder } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';
import { tellStory } from '../support/story.ts';

const buyer = { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } };

subject(
  'services',
  async (t, stage) => {
    const { settings, boxUrl } = stage;
    const provider = await startSimulator();
    t.teardown(() => provider.stop());
    const carrier = await startCarrierService();
    t.teardown(() => carrier.stop());
    const vies = await startVies();
    t.teardown(() => vies.stop());
    const collector = await startCollector(t);
    const folder = await temporaryFolder('bucket-');
    const bucket = await startS3Service(folder, 'media');
    t.teardown(async () => {
      await bucket.kill();
      await rm(folder, { recursive: true, force: true });
    });
    const own: Record<string, string | undefined> = {
      PAYMENT_ADAPTERS: 'stripe,manual',
      STRIPE_SECRET_KEY: 'sk_test_simulator',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_simulator',
      STRIPE_API_URL: provider.url,
      ...carrierServiceSettings(carrier),
      ...viesEnvironment(vies),
      MEDIA_STORAGE: 's3',
      MEDIA_S3_BUCKET: 'media',
      MEDIA_S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`,
      MEDIA_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
      MEDIA_S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    const change = (protocol: string) =>
      cartonOfBox(
        settings,
        'config set',
        ...Object.entries({ ...own, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }).map((pair) => pair.join('=')),
        '--unchecked',
        '--restart',
      );
    await change('http/protobuf');
    t.teardown(async () => {
      const names = [...Object.keys(own), 'OTEL_EXPORTER_OTLP_PROTOCOL'];
      await cartonOfBox(settings, 'config unset', ...names, '--unchecked', '--restart');
    });
    const store = await stage.openTenant();
    const { staff } = store;

    await t.test('a card is charged', async (t) => {
      provider.listen([{ url: `${boxUrl}/payments/webhooks/stripe`, secret: webhookSecret }]);
      const { variantId } = await createForSale(store, 4990);
      const shopper = store.shopper();
      await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
      const started = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
      t.equal(started.status, 201, 'the payment is started');
      const paid = await new Shopper(provider.url).pay(String(started.body.nextAction?.value));
      t.match(paid, /succeeded|requires_capture/, 'the shopper pays');
      const headers = { 'idempotency-key': 'order' };
      const placed = await shopper.post('/checkout', { ...buyer, paymentMethod: 'card' }, { headers });
      t.equal(placed.status, 201, 'the order is placed');
      const found = await until(
        () => staff.get(`/admin/orders/${placed.body.id}`),
        ({ body }) => body.paymentStatus === 'paid',
      );
      t.equal(found.body.paymentStatus, 'paid', 'and paid');
    });

    await t.test('a carrier is asked for its prices', async (t) => {
      const origin = { line1: '2 Pier', city: 'Hamburg', country: 'DE', postalCode: '20095' };
      await bodyOf(staff.patch('/admin/store', { settings: { shipping: { origin } } }));
      const rates = [{ currency: 'EUR', amount: 690 }];
      const option = { code: 'parcel', name: 'Parcel', type: 'carrier', carrierService: 'DHL Paket', rates };
      await bodyOf(staff.post('/admin/shipping-options', option));
      const { variantId } = await createForSale(store, 2000, { variant: { weight: 500 } });
      const shopper = store.shopper();
      await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
      await bodyOf(
        shopper.put('/cart/shipping-address', {
          name: 'Ada',
          line1: '1 New Street',
          city: 'Berlin',
          postalCode: '10115',
          country: 'DE',
        }),
      );
      const offered = await shopper.get('/cart/shipping-options');
      t.match(offered, { status: 200 }, 'options are offered');
      t.match(JSON.stringify(offered.body), '"amount":577', 'at the price of the carrier');
    });

    await t.test('the number of a business is proved', (t) => tellStory(t, stage, 'business.md'));

    await t.test('a picture is stored in a bucket', async (t) => {
      const drawn = sharp({ create: { width: 400, height: 300, channels: 3, background: 'red' } });
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(await drawn.png().toBuffer())], { type: 'image/png' }), 'red.png');
      const { headers } = staff;
      const uploaded = await fetch(`${boxUrl}/admin/media`, { method: 'POST', headers, body: form });
      const asset = (await uploaded.json()) as { url: string; variants: { url: string }[] };
      t.equal(uploaded.status, 201, 'uploaded');
      for (const { url } of [asset, ...(asset.variants ?? [])]) {
        const response = await fetch(boxUrl + url, { headers: store.visitor().headers });
        t.ok(response.ok && (await response.arrayBuffer()).byteLength > 0, url.replace(/[0-9a-f-]{36}/, ':id'));
      }
    });

    await t.test('requests are traced', async (t) => {
      await until(
        async () => collector.requests.length,
        (count) => count > 0,
      );
      t.match(collector.requests[0], { path: '/v1/traces', headers: { 'content-type': 'application/x-protobuf' } });
      await change('http/json');
      await store.visitor().get('/products');
      await until(
        async () => collector.requests.at(-1)?.headers['content-type'],
        (type) => type === 'application/json',
      );
      t.ok('resourceSpans' in JSON.parse(String(collector.requests.at(-1)?.body)), 'also in JSON');
    });

    await t.test('a registry keeps packages in a bucket', async (t) => {
      const port = await freePort();
      const { folder, secrets, ports } = settings;
      const images = await readServices(repository, servicesFolder(settings));
      const registry = await startService({
        name: 'registry-in-bucket',
        program: process.execPath,
        parameters: images.commandOf('registry'),
        folder: images.folder,
        environment: {
          PATH: process.env.PATH ?? '',
          REGISTRY_PORT: String(port),
          REGISTRY_STORAGE: 's3://media',
          REGISTRY_HOME: join(folder, 'registry-in-bucket'),
          REGISTRY_S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`,
          REGISTRY_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
          REGISTRY_S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
          CONTROL_PLANE_URL: localUrl(ports.controlPlane),
          REGISTRY_SECRET: secrets.registry,
          PUBLISH_SECRET: secrets.publish,
        },
        log: logFile(settings, 'registry-in-bucket'),
        ready: `${localUrl(port)}/-/ping`,
      });
      t.teardown(() => registry.stop());
      const response = await fetch(`${localUrl(port)}/@carton%2fcart`, {
        headers: { authorization: `Bearer ${secrets.publish}` },
      });
      t.equal(response.status, 404, 'it finds nothing there yet');
    });

    await t.test('its metrics are read', async (t) => {
      const headers = { authorization: `Bearer ${stage.secrets.metrics}` };
      // 503 while the workers of a restarted box find each other.
      const response = await until(
        () => fetch(`${boxUrl}/metrics`, { headers }),
        ({ status }) => status === 200,
      );
      const text = await response.text();
      for (const name of ['build_info', 'process_cpu', 'nodejs_']) t.match(text, name, name);
    });
  },
  { compared: false },
);
