/**
 * The engine's interface for code in compute processes: formatters, without anything else of the engine, which would
 * take longer to load than the work and more memory.
 */

export { dateTimeFormat, numberFormat } from './intl/formats.ts';
export { minorUnitDigits } from './money/minor-units.ts';
