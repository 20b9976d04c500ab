/**
 * The lowest price of the 30 days before a reduction, as README.md states it.
 */
import t from 'tap';
import { lowestPriorPrice } from '../history/service.ts';
import type { PriceChange } from '../history/store.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const day = (number: number) => new Date(start + number * 86_400_000);

/** The changes of one variant: on a day, to an amount or without a price, for all regions or one. */
function changesOf(list: [day: number, amount: number | null, regionId?: string][]): PriceChange[] {
  return list.map(([number, amount, regionId = null]) => ({
    ...{ variantId: 'v', currency: 'EUR', regionId, amount, compareAt: null },
    createdAt: day(number).toISOString(),
  }));
}

t.test('the prices of the 30 days before count, with the one that applied as they began', async (t) => {
  const cases: [name: string, changes: Parameters<typeof changesOf>[0], lowest: number | null][] = [
    ['one price', [[0, 100]], 100],
    ['no price before', [], null],
    [
      'raised before the sale',
      [
        [0, 80],
        [71, 100],
      ],
      80,
    ],
    [
      'an earlier sale within 30 days',
      [
        [0, 100],
        [80, 70],
        [90, 100],
      ],
      70,
    ],
    [
      'an earlier sale that ended before',
      [
        [0, 100],
        [50, 70],
        [60, 100],
      ],
      100,
    ],
    [
      'an earlier sale that ended on the first day',
      [
        [0, 100],
        [50, 70],
        [70, 100],
      ],
      100,
    ],
    [
      'an earlier sale that ended a little later',
      [
        [0, 100],
        [50, 70],
        [70.001, 100],
      ],
      70,
    ],
    [
      'several',
      [
        [0, 100],
        [75, 90],
        [80, 85],
        [85, 95],
      ],
      85,
    ],
    ['less than 30 days for sale', [[90, 100]], 100],
    [
      'not for sale at first',
      [
        [0, 60],
        [50, null],
        [90, 100],
      ],
      100,
    ],
    [
      'not for sale in between',
      [
        [0, 100],
        [80, null],
        [90, 100],
      ],
      100,
    ],
    [
      'a price of zero',
      [
        [0, 0],
        [90, 100],
      ],
      0,
    ],
  ];
  for (const [name, changes, lowest] of cases)
    t.equal(lowestPriorPrice(changesOf(changes), null, day(100)), lowest, name);
});

t.test('a region without a price of its own has the price of the currency', async (t) => {
  const cases: [name: string, changes: Parameters<typeof changesOf>[0], lowest: number | null][] = [
    [
      'its own only',
      [
        [0, 50],
        [0, 100, 'r'],
      ],
      100,
    ],
    [
      'its own for a part of the time',
      [
        [0, 90],
        [90, 100, 'r'],
      ],
      90,
    ],
    [
      'the own price was removed for a time',
      [
        [0, 90],
        [0, 100, 'r'],
        [80, null, 'r'],
        [85, 100, 'r'],
      ],
      90,
    ],
    [
      'the currency was lower while the region had its own',
      [
        [0, 100],
        [0, 100, 'r'],
        [80, 60],
        [85, 100],
      ],
      100,
    ],
    [
      'of another region',
      [
        [0, 100],
        [80, 50, 'q'],
      ],
      100,
    ],
    ['none', [[0, 50, 'q']], null],
  ];
  for (const [name, changes, lowest] of cases)
    t.equal(lowestPriorPrice(changesOf(changes), 'r', day(100)), lowest, name);
  t.equal(
    lowestPriorPrice(
      changesOf([
        [0, 100],
        [80, 50, 'r'],
      ]),
      null,
      day(100),
    ),
    100,
    'the currency does not know regions',
  );
});
