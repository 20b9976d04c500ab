/**
 * The phrases of mails about parcels, in Liquid, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface ParcelPhrases {
  shippedSubject: string;
  shipped: string;
  deliveredSubject: string;
  delivered: string;
}

const number = '{{ order.number }}';
/** One text for a parcel that the shopper picks up, another for one that is sent. */
const either = (pickup: string, sent: string) => `{% if fulfillment.isPickup %}${pickup}{% else %}${sent}{% endif %}`;

export const parcelPhrases: InLanguages<ParcelPhrases> = {
  en: {
    shippedSubject: `Your order ${number} ${either('can be picked up', 'is on its way')}`,
    shipped: either(
      `you can pick up these items of your order ${number}:`,
      `these items of your order ${number} are on their way:`,
    ),
    deliveredSubject: `Your order ${number} was ${either('picked up', 'delivered')}`,
    delivered: either(
      `you have picked up these items of your order ${number}:`,
      `we have delivered these items of your order ${number}:`,
    ),
  },
  de: {
    shippedSubject: `Ihre Bestellung ${number} ${either('kann abgeholt werden', 'ist unterwegs')}`,
    shipped: either(
      `Sie können diese Artikel Ihrer Bestellung ${number} abholen:`,
      `diese Artikel Ihrer Bestellung ${number} sind unterwegs:`,
    ),
    deliveredSubject: `Ihre Bestellung ${number} wurde ${either('abgeholt', 'zugestellt')}`,
    delivered: either(
      `Sie haben diese Artikel Ihrer Bestellung ${number} abgeholt:`,
      `wir haben Ihnen diese Artikel Ihrer Bestellung ${number} zugestellt:`,
    ),
  },
  fr: {
    shippedSubject: `Votre commande ${number} ${either('peut être retirée', 'est en route')}`,
    shipped: either(
      `vous pouvez retirer ces articles de votre commande ${number} :`,
      `ces articles de votre commande ${number} sont en route :`,
    ),
    deliveredSubject: `Votre commande ${number} a été ${either('retirée', 'livrée')}`,
    delivered: either(
      `vous avez retiré ces articles de votre commande ${number} :`,
      `nous avons livré ces articles de votre commande ${number} :`,
    ),
  },
  es: {
    shippedSubject: `Su pedido ${number} ${either('está listo para recoger', 'está en camino')}`,
    shipped: either(
      `Puede recoger estos artículos de su pedido ${number}:`,
      `Estos artículos de su pedido ${number} están en camino:`,
    ),
    deliveredSubject: `Su pedido ${number} se ha ${either('recogido', 'entregado')}`,
    delivered: either(
      `Ha recogido estos artículos de su pedido ${number}:`,
      `Hemos entregado estos artículos de su pedido ${number}:`,
    ),
  },
  it: {
    shippedSubject: `Il suo ordine ${number} ${either('può essere ritirato', 'è in viaggio')}`,
    shipped: either(
      `può ritirare questi articoli del suo ordine ${number}:`,
      `questi articoli del suo ordine ${number} sono in viaggio:`,
    ),
    deliveredSubject: `Il suo ordine ${number} è stato ${either('ritirato', 'consegnato')}`,
    delivered: either(
      `ha ritirato questi articoli del suo ordine ${number}:`,
      `abbiamo consegnato questi articoli del suo ordine ${number}:`,
    ),
  },
  nl: {
    shippedSubject: `Uw bestelling ${number} ${either('kan worden opgehaald', 'is onderweg')}`,
    shipped: either(
      `U kunt deze artikelen van uw bestelling ${number} ophalen:`,
      `Deze artikelen van uw bestelling ${number} zijn onderweg:`,
    ),
    deliveredSubject: `Uw bestelling ${number} is ${either('opgehaald', 'bezorgd')}`,
    delivered: either(
      `U hebt deze artikelen van uw bestelling ${number} opgehaald:`,
      `We hebben deze artikelen van uw bestelling ${number} bezorgd:`,
    ),
  },
  pl: {
    shippedSubject: `Twoje zamówienie ${number} ${either('jest gotowe do odbioru', 'jest w drodze')}`,
    shipped: either(
      `możesz odebrać te produkty z zamówienia ${number}:`,
      `te produkty z zamówienia ${number} są w drodze:`,
    ),
    deliveredSubject: `Twoje zamówienie ${number} zostało ${either('odebrane', 'dostarczone')}`,
    delivered: either(
      `te produkty z zamówienia ${number} zostały odebrane:`,
      `te produkty z zamówienia ${number} zostały dostarczone:`,
    ),
  },
  ja: {
    shippedSubject: `ご注文 ${number} ${either('の受け取り準備ができました', 'を発送しました')}`,
    shipped: either(
      `ご注文（${number}）の次の商品をお受け取りいただけます：`,
      `ご注文（${number}）の次の商品を発送しました：`,
    ),
    deliveredSubject: `ご注文 ${number} ${either('をお受け取りいただきました', 'をお届けしました')}`,
    delivered: either(
      `ご注文（${number}）の次の商品をお受け取りいただきました：`,
      `ご注文（${number}）の次の商品をお届けしました：`,
    ),
  },
  ar: {
    shippedSubject: `طلبك ${number} ${either('جاهز للاستلام', 'في الطريق إليك')}`,
    shipped: either(`يمكنك استلام هذه المنتجات من طلبك ${number}:`, `هذه المنتجات من طلبك ${number} في الطريق إليك:`),
    deliveredSubject: `${either('استُلم', 'تم توصيل')} طلبك ${number}`,
    delivered: either(`استلمت هذه المنتجات من طلبك ${number}:`, `أوصلنا إليك هذه المنتجات من طلبك ${number}:`),
  },
};
