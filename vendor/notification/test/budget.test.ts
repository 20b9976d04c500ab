/**
 * Texts that cost a lot: other tenants are served meanwhile, and a mail with such a text is neither lost nor tried for
 * ever.
 */
import { wakeBackground } from '@carton/runtime';
import { exactly, type TestTenant, until, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { createMailBox, createProduct, mailsWhere, placeOrder, recordsOf } from './helpers.ts';

const { box, server } = await createMailBox(t);
const { staff } = box;
const other = await box.openTenant();
await createProduct(other, 'Bowl');
const key = 'order.placed';
const path = `/admin/notification-templates/${key}`;

/** Each round of the loop takes as long as ten thousand filters. */
const slow = `{% for i in (1..9000) %}{{ 1 ${'| abs '.repeat(14_000)}}}{% endfor %}`;
/** A text of 350 MB, which is copied at once when it is searched. */
const large = `{% capture x %}{% for i in (1..3900) %}${'a'.repeat(90_000)}{% endfor %}{% endcapture %}{% if x contains "q" %}q{% endif %}`;
const times = '{% for i in (1..99) %}{% for j in (1..99) %}{{ order.createdAt | time }}{% endfor %}{% endfor %}';

const draftOf = (text: string) => ({ draft: { subject: 'x', text, html: null } });
const preview = (tenant: TestTenant, text: string) => tenant.staff.post(`${path}/preview`, draftOf(text));

t.test('another tenant is served while previews are rendered', async (t) => {
  let ended = 0;
  const previews = [slow, slow, times].map(async (text) => {
    const { status } = await preview(box, text);
    ended++;
    return status;
  });
  const visitor = other.visitor();
  for (let request = 0; request < 10; request++) {
    t.equal((await visitor.get('/products')).status, 200);
    t.equal(ended, 0, 'no preview has ended');
  }
  t.equal((await preview(other, 'Order {{ order.number }}')).body.text, 'Order ORD-1001', 'nor do its previews wait');
  t.ok(ended < previews.length, 'for all of them');
  t.strictSame(await Promise.all(previews), [422, 422, 200]);
});

t.test('a text that takes too much time or memory is refused, and the next is rendered', async (t) => {
  const refusal = (detail: RegExp) => ({ status: 422, body: { code: 'too_costly', detail } });
  t.match(await preview(box, slow), refusal(/^text, .*takes too long/));
  t.match(await preview(box, large), refusal(/takes too much memory/));
  t.match(await preview(box, 'Order {{ order.number }}'), { status: 200, body: { text: 'Order ORD-1001' } });
  const texts = [{ locale: 'en', subject: 'x', text: large, html: null }];
  t.match(await staff.patch(path, { texts }), refusal(/takes too much memory/));
  t.strictSame((await staff.get(path)).body.texts, [], 'nor is it stored');
});

t.test('few previews of a tenant wait', async (t) => {
  const sent = Array.from({ length: 20 }, () => preview(box, slow.replace('9000', '40')));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  t.ok(statuses.includes(503), 'more are refused at once');
  t.ok(statuses.includes(200), 'those that wait are rendered');
});

t.test('a mail with a costly text fails after three attempts, and is sent once the text is changed', async (t) => {
  const variantId = await createProduct(box);
  await untilDelivered(box);
  const texts = [{ locale: 'en', subject: 'Order {{ order.number }}', text: 'x', html: null }];
  t.equal((await staff.patch(path, { texts })).status, 200);
  // As an earlier release has stored it, which had other limits.
  await box.owner.query('update notification_templates set texts = $2 where tenant_id = $1', [
    box.id,
    JSON.stringify(texts.map((each) => ({ ...each, text: slow }))),
  ]);
  const email = 'ada@shopper.example';
  const { id } = await placeOrder(box, variantId, { email });
  const statuses: string[] = [];
  const failed = await until(
    async () => {
      await box.owner.query(
        `update event_deliveries set next_attempt_at = now() where tenant_id = $1 and status = 'pending'`,
        [box.id],
      );
      wakeBackground(box.db);
      const [record] = await recordsOf(box, id);
      if (record) statuses[record.attempts] = record.status;
      return record;
    },
    (record) => record !== undefined && record.status !== 'queued',
  );
  t.equal(statuses[2], 'queued', 'after the first attempts it waits for another');
  t.match(failed, { status: 'failed', attempts: 3, error: /takes too long/ });
  await untilDelivered(box);
  t.equal((await recordsOf(box, id)).length, 1);
  t.equal((await staff.patch(path, { texts })).status, 200);
  t.equal((await staff.post(`/admin/notifications/${failed.id}/resend`, {})).status, 202);
  t.match(await mailsWhere(server, 1, ({ to }) => to === email), exactly([{ subject: /^Order \d+$/ }]));
});
