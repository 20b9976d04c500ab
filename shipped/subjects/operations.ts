/**
 * Every operation of the document: valid requests, its own example, the protocol, and hostile input.
 */

import { describeBox } from '@carton/runtime/testing';
import {
  boxTarget,
  type ContractBox,
  checkContract,
  type ExampleDocument,
  summaryOf,
} from '@carton/runtime/testing/contract';
import { databaseUrlOf } from '../stack/database.ts';
import { subject } from '../subject.ts';
import { createMember } from '../support/member.ts';

/** The same requests in each run, so that the result depends on what is shipped. */
const seed = Number(process.env.CONTRACT_SEED ?? 20260301);
const runs = Number(process.env.CONTRACT_RUNS ?? 10);

subject('operations', async (t, stage) => {
  const first = await stage.openTenant();
  const box: ContractBox = {
    ...first,
    url: stage.url,
    databaseUrl: await databaseUrlOf(stage.settings),
    secrets: stage.secrets,
    operator: stage.operator,
    openTenant: () => stage.openTenant(),
    box: await describeBox(),
  };
  const target = await boxTarget(box, (task) => t.teardown(task), {
    createMember: (tenant) => createMember(stage, tenant),
    // Mails are sent meanwhile.
    changingTables: ['notifications'],
    sender: stage.mirror,
  });
  const result = await checkContract(target, {
    seed,
    runs,
    rounds: 5,
    // Of the code, which is the same: the suite of the sources checks it.
    leaveOut: ['isolation'],
    document: stage.document as unknown as ExampleDocument,
  });
  for (const line of summaryOf(result)) t.comment(line);
  await t.test('each operation keeps its promises', async (t) => {
    for (const { requirement, actual } of result.broken) t.fail(requirement, { actual, at: undefined, stack: '' });
    t.equal(result.routes, target.declarations.length, 'every operation was called');
  });
});
