/**
 * Serialization of responses by their schemas.
 */
import t from 'tap';
import { Country } from '../../country/country.ts';
import { nullable, object, Type } from '../schemas.ts';
import { serialize } from '../validation.ts';

t.test('formats of this API cause no warnings on the console', (t) => {
  const warnings = t.capture(console, 'warn');
  const Place = object({
    // A property may have the name of a keyword.
    format: Type.String(),
    country: Type.Union([Country, Type.Null(), Type.Integer()]),
    other: nullable(object({ country: nullable(Country) })),
  });
  const place = { format: 'country', country: 'AT', other: { country: null } };
  t.strictSame(JSON.parse(serialize(Place, place)), place);
  t.strictSame(warnings(), []);
  t.end();
});
