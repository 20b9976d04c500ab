/**
 * What an invoice without tax has to say (Directive 2006/112/EC, Article 226, points 11 and 11a), in each language: the words
 * of the directive in that language.
 */
import type { InLanguages } from '@carton/runtime';
import type { InvoiceContent } from '../content.ts';
import type { Untaxed } from './untaxed.ts';

type Exemption = NonNullable<InvoiceContent['taxExemption']> | Untaxed;

export const exemptionPhrases: InLanguages<Readonly<Record<Exemption, string>>> = {
  en: {
    intra_community: 'Intra-Community supply exempt from VAT (Article 138 of Directive 2006/112/EC)',
    reverse_charge: 'Reverse charge',
    exempt_member: 'Exempt from tax',
    export: 'Export exempt from VAT (Article 146 of Directive 2006/112/EC)',
    outside_union: 'Not subject to VAT: supplied outside the European Union',
  },
  de: {
    intra_community: 'Steuerfreie innergemeinschaftliche Lieferung (Artikel 138 der Richtlinie 2006/112/EG)',
    reverse_charge: 'Steuerschuldnerschaft des Leistungsempfängers',
    exempt_member: 'Von der Steuer befreit',
    export: 'Steuerfreie Ausfuhrlieferung (Artikel 146 der Richtlinie 2006/112/EG)',
    outside_union: 'Nicht steuerbar: Ort der Leistung außerhalb der Europäischen Union',
  },
  fr: {
    intra_community: 'Livraison intracommunautaire exonérée de TVA (article 138 de la directive 2006/112/CE)',
    reverse_charge: 'Autoliquidation',
    exempt_member: 'Exonéré de taxe',
    export: 'Exportation exonérée de TVA (article 146 de la directive 2006/112/CE)',
    outside_union: 'Non soumis à la TVA : prestation hors de l’Union européenne',
  },
  es: {
    intra_community: 'Entrega intracomunitaria exenta de IVA (artículo 138 de la Directiva 2006/112/CE)',
    reverse_charge: 'Inversión del sujeto pasivo',
    exempt_member: 'Exento de impuestos',
    export: 'Exportación exenta de IVA (artículo 146 de la Directiva 2006/112/CE)',
    outside_union: 'No sujeto a IVA: prestado fuera de la Unión Europea',
  },
  it: {
    intra_community: 'Cessione intracomunitaria non imponibile IVA (articolo 138 della direttiva 2006/112/CE)',
    reverse_charge: 'Inversione contabile',
    exempt_member: 'Esente da imposte',
    export: 'Cessione all’esportazione non imponibile IVA (articolo 146 della direttiva 2006/112/CE)',
    outside_union: 'Operazione non soggetta a IVA: resa fuori dell’Unione europea',
  },
  nl: {
    intra_community: 'Intracommunautaire levering vrijgesteld van btw (artikel 138 van Richtlijn 2006/112/EG)',
    reverse_charge: 'Btw verlegd',
    exempt_member: 'Vrijgesteld van belasting',
    export: 'Uitvoer vrijgesteld van btw (artikel 146 van Richtlijn 2006/112/EG)',
    outside_union: 'Niet onderworpen aan btw: verricht buiten de Europese Unie',
  },
  pl: {
    intra_community: 'Wewnątrzwspólnotowa dostawa towarów zwolniona z VAT (art. 138 dyrektywy 2006/112/WE)',
    reverse_charge: 'Odwrotne obciążenie',
    exempt_member: 'Zwolniono z podatku',
    export: 'Eksport towarów zwolniony z VAT (art. 146 dyrektywy 2006/112/WE)',
    outside_union: 'Nie podlega VAT: świadczenie poza Unią Europejską',
  },
  ja: {
    intra_community: 'EU域内供給のため付加価値税免税(指令2006/112/EC第138条)',
    reverse_charge: 'リバースチャージ方式(買い手が納税)',
    exempt_member: '免税',
    export: 'EU域外への輸出のため付加価値税免税(指令2006/112/EC第146条)',
    outside_union: '付加価値税対象外(EU域外での役務提供)',
  },
  ar: {
    intra_community: 'توريد داخل الاتحاد الأوروبي معفى من ضريبة القيمة المضافة (المادة 138 من التوجيه 2006/112/EC)',
    reverse_charge: 'احتساب عكسي: المشتري ملزم بأداء الضريبة',
    exempt_member: 'معفى من الضريبة',
    export: 'تصدير معفى من ضريبة القيمة المضافة (المادة 146 من التوجيه 2006/112/EC)',
    outside_union: 'غير خاضع لضريبة القيمة المضافة: توريد خارج الاتحاد الأوروبي',
  },
};
