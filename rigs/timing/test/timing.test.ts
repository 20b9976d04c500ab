/**
 * The timing rig: what it reports of responses and times, and its short form. Figures of the short form are not checked.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { aucLimit, compareTimes } from '../../support/timing-statistics.ts';
import { found, rig } from '../../test/support/rig.ts';
import { probes } from '../probes.ts';
import { differenceOf, faultsOf } from '../rig.ts';

const path = '/login';
const times = (count: number, shift = 0) => Array.from({ length: count }, (_, at) => (at % 100) / 100 + shift);

t.test('statistics of two samples', async (t) => {
  const close = (value: number, expected: number) => t.ok(Math.abs(value - expected) < 1e-9, `${value}, ${expected}`);
  const { auc, bestGuess, median, difference, percent } = compareTimes({ known: [2, 3], unknown: [1, 2] });
  close(auc, 3.5 / 4);
  close(bestGuess, 0.75);
  close(median, 1.5);
  close(difference, 1000);
  close(percent, 100 / 1.5);
  close(compareTimes({ known: times(1000), unknown: times(1000) }, 10).auc, 0.5);
  close(compareTimes({ known: [1, 1], unknown: [2, 2] }, 10).auc, 0);
  const { from, to } = compareTimes({ known: times(2000, 0.5), unknown: times(2000) });
  t.ok(from < 500 && to > 500 && from > 400 && to < 600, `${from} to ${to} µs`);
});

t.test('a difference beyond the limit is reported, in either direction', async (t) => {
  t.ok(aucLimit(10_000) < 0.0205 && aucLimit(10_000) >= 0.02 && aucLimit(1_000_000) === 0.02);
  const reports = (shift: number) =>
    differenceOf({ path }, compareTimes({ known: times(10_000, shift), unknown: times(10_000) }, 10), 10_000);
  t.strictSame(reports(0), []);
  t.match(reports(0.03), exactly([/POST \/login tells known addresses: AUC 0\.5\d+, allowed 0\.5 ± 0\.0204/]));
  t.match(reports(-0.03), exactly([/AUC 0\.4/]));
});

t.test('responses that differ are reported', async (t) => {
  const all = new Set(['202']);
  t.strictSame(faultsOf({ path }, { known: all, unknown: all }), []);
  for (const other of [new Set(['202', '429']), new Set(['401']), new Set<string>()]) {
    t.equal(faultsOf({ path }, { known: all, unknown: other }).length, 1);
    t.equal(faultsOf({ path }, { known: other, unknown: all }).length, 1);
  }
  const both = new Set(['202', '429']);
  t.match(faultsOf({ path }, { known: both, unknown: both }), exactly([/known and unknown: "202"/]));
});

t.test('the short form', async (t) => {
  const ended = await rig('timing', '--short');
  const { rig: name, held, broken, tries, ...figures } = found(ended);
  t.strictSame({ name, held, broken, tries }, { name: 'timing', held: true, broken: [], tries: 5 });
  if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
  t.strictSame(
    Object.keys(figures).filter((key) => key.endsWith(' AUC')),
    probes.map((probe) => `${probe.name} AUC`),
  );
});
