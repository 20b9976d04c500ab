/**
 * The phrases of packing lists, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface PackingPhrases {
  packingList: string;
  parcel: string;
  pending: string;
  shipped: string;
  delivered: string;
  sku: string;
  units: string;
  note: string;
  pickedUpAt: string;
  shipTo: string;
  shipping: string;
}

export const packingPhrases: InLanguages<PackingPhrases> = {
  en: {
    packingList: 'Packing list',
    parcel: 'Parcel {parcel} of order {number}, placed on {date}',
    pending: 'To be packed',
    shipped: 'Shipped',
    delivered: 'Delivered',
    sku: 'SKU',
    units: 'Units',
    note: 'Note of the shopper',
    pickedUpAt: 'Picked up at',
    shipTo: 'Ship to',
    shipping: 'Shipping',
  },
  de: {
    packingList: 'Packliste',
    parcel: 'Paket {parcel} der Bestellung {number} vom {date}',
    pending: 'Zu packen',
    shipped: 'Versandt',
    delivered: 'Zugestellt',
    sku: 'Artikelnummer',
    units: 'Stück',
    note: 'Anmerkung des Kunden',
    pickedUpAt: 'Abholung bei',
    shipTo: 'Lieferung an',
    shipping: 'Versand',
  },
  fr: {
    packingList: 'Bon de préparation',
    parcel: 'Colis {parcel} de la commande {number} du {date}',
    pending: 'À préparer',
    shipped: 'Expédié',
    delivered: 'Livré',
    sku: 'Référence',
    units: 'Unités',
    note: 'Remarque du client',
    pickedUpAt: 'Retrait à',
    shipTo: 'Livrer à',
    shipping: 'Livraison',
  },
  es: {
    packingList: 'Lista de embalaje',
    parcel: 'Paquete {parcel} del pedido {number} del {date}',
    pending: 'Por embalar',
    shipped: 'Enviado',
    delivered: 'Entregado',
    sku: 'SKU',
    units: 'Unidades',
    note: 'Nota del cliente',
    pickedUpAt: 'Recogida en',
    shipTo: 'Enviar a',
    shipping: 'Envío',
  },
  it: {
    packingList: 'Distinta di imballaggio',
    parcel: 'Pacco {parcel} dell’ordine {number} del {date}',
    pending: 'Da imballare',
    shipped: 'Spedito',
    delivered: 'Consegnato',
    sku: 'SKU',
    units: 'Unità',
    note: 'Nota del cliente',
    pickedUpAt: 'Ritiro presso',
    shipTo: 'Spedire a',
    shipping: 'Spedizione',
  },
  nl: {
    packingList: 'Paklijst',
    parcel: 'Pakket {parcel} van bestelling {number}, geplaatst op {date}',
    pending: 'In te pakken',
    shipped: 'Verzonden',
    delivered: 'Bezorgd',
    sku: 'Artikelnummer',
    units: 'Stuks',
    note: 'Opmerking van de klant',
    pickedUpAt: 'Afhalen bij',
    shipTo: 'Verzenden naar',
    shipping: 'Verzending',
  },
  pl: {
    packingList: 'Lista pakowa',
    parcel: 'Paczka {parcel} zamówienia {number} z dnia {date}',
    pending: 'Do spakowania',
    shipped: 'Wysłane',
    delivered: 'Dostarczone',
    sku: 'SKU',
    units: 'Sztuk',
    note: 'Uwaga klienta',
    pickedUpAt: 'Odbiór w',
    shipTo: 'Wysyłka do',
    shipping: 'Wysyłka',
  },
  ja: {
    packingList: '梱包明細書',
    parcel: 'ご注文 {number}（{date}）の荷物 {parcel}',
    pending: '梱包待ち',
    shipped: '発送済み',
    delivered: '配達済み',
    sku: 'SKU',
    units: '点数',
    note: 'お客様の備考',
    pickedUpAt: '受け取り場所',
    shipTo: 'お届け先',
    shipping: '配送',
  },
  ar: {
    packingList: 'قائمة التعبئة',
    parcel: 'الطرد {parcel} من الطلب {number} بتاريخ {date}',
    pending: 'قيد التعبئة',
    shipped: 'تم الشحن',
    delivered: 'تم التوصيل',
    sku: 'رمز المنتج',
    units: 'عدد القطع',
    note: 'ملاحظة العميل',
    pickedUpAt: 'الاستلام من',
    shipTo: 'الشحن إلى',
    shipping: 'الشحن',
  },
};
