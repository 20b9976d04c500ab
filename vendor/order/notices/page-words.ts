/**
 * Words of the pages about orders of several packages, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

export interface PageWords {
  item: string;
  quantity: string;
  price: string;
  tax: string;
  total: string;
  contact: string;
  canceled: string;
  yes: string;
  no: string;
  labelled: string;
}

export const pageWords: InLanguages<PageWords> = {
  en: {
    item: 'Item',
    quantity: 'Quantity',
    price: 'Price',
    tax: 'Tax',
    total: 'Total',
    contact: 'Contact',
    canceled: 'Canceled',
    yes: 'Yes',
    no: 'No',
    labelled: '{label}: {value}',
  },
  de: {
    item: 'Artikel',
    quantity: 'Menge',
    price: 'Preis',
    tax: 'Steuer',
    total: 'Gesamt',
    contact: 'Kontakt',
    canceled: 'Storniert',
    yes: 'Ja',
    no: 'Nein',
    labelled: '{label}: {value}',
  },
  fr: {
    item: 'Article',
    quantity: 'Quantité',
    price: 'Prix',
    tax: 'Taxe',
    total: 'Total',
    contact: 'Contact',
    canceled: 'Annulée',
    yes: 'Oui',
    no: 'Non',
    labelled: '{label} : {value}',
  },
  es: {
    item: 'Artículo',
    quantity: 'Cantidad',
    price: 'Precio',
    tax: 'Impuesto',
    total: 'Total',
    contact: 'Contacto',
    canceled: 'Cancelado',
    yes: 'Sí',
    no: 'No',
    labelled: '{label}: {value}',
  },
  it: {
    item: 'Articolo',
    quantity: 'Quantità',
    price: 'Prezzo',
    tax: 'Imposta',
    total: 'Totale',
    contact: 'Contatto',
    canceled: 'Annullato',
    yes: 'Sì',
    no: 'No',
    labelled: '{label}: {value}',
  },
  nl: {
    item: 'Artikel',
    quantity: 'Aantal',
    price: 'Prijs',
    tax: 'Belasting',
    total: 'Totaal',
    contact: 'Contact',
    canceled: 'Geannuleerd',
    yes: 'Ja',
    no: 'Nee',
    labelled: '{label}: {value}',
  },
  pl: {
    item: 'Produkt',
    quantity: 'Ilość',
    price: 'Cena',
    tax: 'Podatek',
    total: 'Razem',
    contact: 'Kontakt',
    canceled: 'Anulowane',
    yes: 'Tak',
    no: 'Nie',
    labelled: '{label}: {value}',
  },
  ja: {
    item: '商品',
    quantity: '数量',
    price: '単価',
    tax: '税',
    total: '合計',
    contact: '連絡先',
    canceled: 'キャンセル済み',
    yes: 'はい',
    no: 'いいえ',
    labelled: '{label}：{value}',
  },
  ar: {
    item: 'المنتج',
    quantity: 'الكمية',
    price: 'السعر',
    tax: 'الضريبة',
    total: 'الإجمالي',
    contact: 'بيانات الاتصال',
    canceled: 'ملغى',
    yes: 'نعم',
    no: 'لا',
    labelled: '{label}: {value}',
  },
};
