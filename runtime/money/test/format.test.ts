import t from 'tap';
import { formatMoney } from '../format.ts';

t.test('amounts have the decimals of their currency and the form of the language', async (t) => {
  const shown = (amount: number, currency: string, locale: string) =>
    formatMoney({ amount, currency }, locale).replaceAll(/[\u00a0\u202f]/g, ' ');
  t.equal(shown(199900, 'EUR', 'de-DE'), '1.999,00 €');
  t.equal(shown(199900, 'EUR', 'en-GB'), '€1,999.00');
  t.equal(shown(5, 'EUR', 'fr-FR'), '0,05 €');
  t.equal(shown(-5, 'USD', 'en-US'), '-$0.05');
  t.equal(shown(1200, 'JPY', 'en'), '¥1,200');
  t.equal(shown(1234567, 'KWD', 'en'), 'KWD 1,234.567');
  t.equal(shown(12345, 'HUF', 'en'), 'HUF 123.45');
  t.equal(shown(0, 'EUR', 'en'), '€0.00');
  t.equal(shown(Number.MAX_SAFE_INTEGER, 'EUR', 'en'), '€90,071,992,547,409.91');
});
