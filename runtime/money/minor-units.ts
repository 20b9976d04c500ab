/**
 * The codes of ISO 4217 that have a minor unit, and its decimal digits. They are listed here, because
 * JavaScript's `Intl` has withdrawn codes (HRK), omits some (CLF), and rounds to the digits in everyday use (HUF: 0)
 * instead of those of the standard (HUF: 2).
 *
 * Source: list one of ISO 4217 with its amendments up to 2026-01-01. Codes without a minor unit (gold, special drawing
 * rights, tests) cannot have prices and are left out.
 */
const codesByDigits: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
    COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
    THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digits = new Map(
  Object.entries(codesByDigits).flatMap(([count, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code): [string, number] => [code, Number(count)]),
  ),
);

/** True for a currency of ISO 4217 with a minor unit. */
export function isCurrency(code: string): boolean {
  return digits.has(code);
}

/**
 * Number of decimal digits of a currency: 2 for EUR, 0 for JPY, 3 for KWD. 2 for a withdrawn code, which stored amounts
 * may still have.
 */
export function minorUnitDigits(currency: string): number {
  return digits.get(currency) ?? 2;
}
