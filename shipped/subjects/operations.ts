/**
 * Every operation of the document: valid requests, its own example, the protocol, and hostile input.
 */

import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, describeBox, type OpenedTenant } from '@carton/runtime/testing';
import {
  boxTarget,
  type ContractBox,
  checkContract,
  type ExampleDocument,
  logInAgain,
  summaryOf,
} from '@carton/runtime/testing/contract';
import { databaseUrlOf } from '../../tools/shipped-stack/database.ts';
import { createMember, type Member } from '../../tools/shipped-stack/member.ts';
import type { Stage } from '../stage.ts';
import { subject } from '../subject.ts';

/** The same requests in each run, so that the result depends on what is shipped. */
const seed = Number(process.env.CONTRACT_SEED ?? 20260301);
const runs = Number(process.env.CONTRACT_RUNS ?? 10);

/** Opens a store that has sold something, so that requests refer to what can be ordered and to orders. */
async function openStore(stage: Stage): Promise<OpenedTenant> {
  const store = await stage.openTenant();
  const { staff } = store;
  await bodyOf(staff.post('/admin/regions', { name: 'France', currency: 'EUR', countries: ['FR'] }));
  const { variantId } = await createForSale(store, 1990);
  for (const email of ['ada@example.com', 'grace@example.com']) {
    const shopper = await shopperWith(store, [variantId, 2]);
    const { id } = await bodyOf(shopper.post('/checkout', { customer: { email } }));
    await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`, {}));
    const amount = { amount: 1000, currency: 'EUR' };
    await bodyOf(staff.post(`/admin/orders/${id}/payments`, { method: 'bank_transfer', amount }));
  }
  await shopperWith(store, [variantId, 1]);
  return store;
}

/** Requests before may have switched off the mail with the link, changed its texts and page, and logged out the owner. */
async function createMemberByMail(stage: Stage, store: OpenedTenant): Promise<Member> {
  const asAtFirst = { enabled: true, texts: [] };
  const { staff } = store;
  const change = () => staff.patch('/admin/notification-templates/member.registration_requested', asAtFirst);
  if ((await change()).status === 401) {
    staff.headers.authorization = await logInAgain(store);
    await bodyOf(change());
  }
  // In a generated address, what is beside the token may look like a part of it.
  await bodyOf(staff.patch('/admin/store', { settings: { member: { verificationUrl: null } } }));
  return createMember(stage, store);
}

subject('operations', async (t, stage) => {
  const first = await openStore(stage);
  const box: ContractBox = {
    ...first,
    url: stage.url,
    databaseUrl: await databaseUrlOf(stage.settings),
    secrets: stage.secrets,
    operator: stage.operator,
    openTenant: () => openStore(stage),
    box: await describeBox(),
  };
  const target = await boxTarget(box, (task) => t.teardown(task), {
    createMember: (tenant) => createMemberByMail(stage, tenant),
    sender: stage.mirror,
  });
  // Who changes and sees whose rows is a matter of the code, which the suite of the sources checks.
  const rows = { ...target.rows, digest: async () => new Map(), ids: async () => new Set<string>() };
  const result = await checkContract(
    { ...target, rows },
    {
      seed,
      runs,
      rounds: 5,
      leaveOut: ['isolation'],
      document: stage.document as unknown as ExampleDocument,
    },
  );
  for (const line of summaryOf(result)) t.comment(line);
  await t.test('each operation keeps its promises', async (t) => {
    for (const { requirement, actual } of result.broken) t.fail(requirement, { actual, at: undefined, stack: '' });
    t.equal(result.routes, target.declarations.length, 'every operation was called');
  });
});
