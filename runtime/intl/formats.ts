/**
 * Formatters of JavaScript's `Intl`, made once for each locale and each set of options: making one takes a hundred times
 * as long as formatting with it. Each takes tens of KiB, and callers choose locales, so that only the last ones are kept.
 */

/** Formatters of one kind that are kept. */
const maxKept = 64;

function kept<Options, Format>(create: (locale: string, options: Options) => Format) {
  const formats = new Map<string, Format>();
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const format = formats.get(key) ?? create(locale, options);
    // The last used are at the end.
    formats.delete(key);
    formats.set(key, format);
    if (formats.size > maxKept) formats.delete(formats.keys().next().value as string);
    return format;
  };
}

/** @param locale BCP 47 @throws RangeError for options that `Intl` does not know */
export const numberFormat = kept(
  (locale: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);

/** @param locale BCP 47 @throws RangeError for options that `Intl` does not know */
export const dateTimeFormat = kept(
  (locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

/** @param locale BCP 47 */
export const displayNames = kept(
  (locale: string, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames([locale], options),
);
