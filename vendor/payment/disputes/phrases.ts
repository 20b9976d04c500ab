/**
 * The phrases of mails about disputes, in Liquid, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface DisputePhrases {
  openedSubject: string;
  opened: string;
  reason: string;
  respondBy: string;
  closedSubject: string;
  closed: string;
}

const amount = '{{ amount | money }}';
const order = '{{ orderNumber }}';
const reason = '{{ reason }}';
const date = '{{ respondBy | date }}';
const opened = (inquiry: string, dispute: string) =>
  `{% if status == 'inquiry' %}${inquiry}{% else %}${dispute}{% endif %}`;
const closed = (won: string, lost: string, undecided: string) =>
  `{% if status == 'won' %}${won}{% elsif status == 'lost' %}${lost}{% else %}${undecided}{% endif %}`;

export const disputePhrases: InLanguages<DisputePhrases> = {
  en: {
    openedSubject: `${opened('Inquiry about', 'Dispute of')} a payment: order ${order}`,
    opened: opened(
      `The shopper's bank inquires about ${amount} of order ${order}.`,
      `The shopper's bank disputes ${amount} of order ${order}. The payment cannot be refunded until this is decided.`,
    ),
    reason: ` Reason: ${reason}.`,
    respondBy: ` Respond at the payment provider by ${date}.`,
    closedSubject: `Dispute ${closed('won', 'lost', 'closed')}: order ${order}`,
    closed: `The dispute of ${amount} of order ${order} was ${closed('won.', 'lost. The amount is not due again, and cannot be refunded.', 'closed without a decision.')}`,
  },
  de: {
    openedSubject: `${opened('Rückfrage zu', 'Anfechtung')} einer Zahlung: Bestellung ${order}`,
    opened: opened(
      `Die Bank des Kunden fragt nach ${amount} der Bestellung ${order}.`,
      `Die Bank des Kunden ficht ${amount} der Bestellung ${order} an. Bis zur Entscheidung kann die Zahlung nicht erstattet werden.`,
    ),
    reason: ` Grund: ${reason}.`,
    respondBy: ` Antworten Sie beim Zahlungsanbieter bis zum ${date}.`,
    closedSubject: `Anfechtung ${closed('gewonnen', 'verloren', 'abgeschlossen')}: Bestellung ${order}`,
    closed: `Die Anfechtung von ${amount} der Bestellung ${order} wurde ${closed('gewonnen.', 'verloren. Der Betrag ist nicht erneut fällig und kann nicht erstattet werden.', 'ohne Entscheidung abgeschlossen.')}`,
  },
  fr: {
    openedSubject: `${opened('Demande d’information sur un', 'Contestation d’un')} paiement : commande ${order}`,
    opened: opened(
      `La banque du client demande des informations sur ${amount} de la commande ${order}.`,
      `La banque du client conteste ${amount} de la commande ${order}. Le paiement ne peut pas être remboursé avant la décision.`,
    ),
    reason: ` Motif : ${reason}.`,
    respondBy: ` Répondez auprès du prestataire de paiement avant le ${date}.`,
    closedSubject: `Contestation ${closed('gagnée', 'perdue', 'close')} : commande ${order}`,
    closed: `La contestation de ${amount} de la commande ${order} a été ${closed('gagnée.', 'perdue. Le montant n’est pas dû à nouveau et ne peut pas être remboursé.', 'close sans décision.')}`,
  },
  es: {
    openedSubject: `${opened('Consulta sobre', 'Disputa de')} un pago: pedido ${order}`,
    opened: opened(
      `El banco del cliente consulta sobre ${amount} del pedido ${order}.`,
      `El banco del cliente disputa ${amount} del pedido ${order}. El pago no se puede reembolsar hasta que se decida.`,
    ),
    reason: ` Motivo: ${reason}.`,
    respondBy: ` Responda ante el proveedor de pagos antes del ${date}.`,
    closedSubject: `Disputa ${closed('ganada', 'perdida', 'cerrada')}: pedido ${order}`,
    closed: `La disputa de ${amount} del pedido ${order} se ha ${closed('ganado.', 'perdido. El importe no vuelve a deberse y no se puede reembolsar.', 'cerrado sin decisión.')}`,
  },
  it: {
    openedSubject: `${opened('Richiesta di informazioni su', 'Contestazione di')} un pagamento: ordine ${order}`,
    opened: opened(
      `La banca del cliente chiede informazioni su ${amount} dell’ordine ${order}.`,
      `La banca del cliente contesta ${amount} dell’ordine ${order}. Il pagamento non può essere rimborsato fino alla decisione.`,
    ),
    reason: ` Motivo: ${reason}.`,
    respondBy: ` Risponda presso il fornitore di pagamento entro il ${date}.`,
    closedSubject: `Contestazione ${closed('vinta', 'persa', 'chiusa')}: ordine ${order}`,
    closed: `La contestazione di ${amount} dell’ordine ${order} è stata ${closed('vinta.', 'persa. L’importo non è di nuovo dovuto e non può essere rimborsato.', 'chiusa senza decisione.')}`,
  },
  nl: {
    openedSubject: `${opened('Vraag over', 'Betwisting van')} een betaling: bestelling ${order}`,
    opened: opened(
      `De bank van de klant vraagt naar ${amount} van bestelling ${order}.`,
      `De bank van de klant betwist ${amount} van bestelling ${order}. De betaling kan niet worden terugbetaald tot hierover is beslist.`,
    ),
    reason: ` Reden: ${reason}.`,
    respondBy: ` Reageer bij de betaalprovider uiterlijk ${date}.`,
    closedSubject: `Betwisting ${closed('gewonnen', 'verloren', 'gesloten')}: bestelling ${order}`,
    closed: `De betwisting van ${amount} van bestelling ${order} is ${closed('gewonnen.', 'verloren. Het bedrag is niet opnieuw verschuldigd en kan niet worden terugbetaald.', 'zonder beslissing gesloten.')}`,
  },
  pl: {
    openedSubject: `${opened('Zapytanie o płatność', 'Spór o płatność')}: zamówienie ${order}`,
    opened: opened(
      `Bank klienta pyta o ${amount} z zamówienia ${order}.`,
      `Bank klienta kwestionuje ${amount} z zamówienia ${order}. Płatności nie można zwrócić do czasu rozstrzygnięcia.`,
    ),
    reason: ` Powód: ${reason}.`,
    respondBy: ` Odpowiedz u dostawcy płatności do ${date}.`,
    closedSubject: `Spór ${closed('wygrany', 'przegrany', 'zamknięty')}: zamówienie ${order}`,
    closed: `Spór o ${amount} z zamówienia ${order} został ${closed('wygrany.', 'przegrany. Kwota nie jest ponownie należna i nie można jej zwrócić.', 'zamknięty bez rozstrzygnięcia.')}`,
  },
  ja: {
    openedSubject: `お支払いに関する${opened('照会', '異議申し立て')}：注文 ${order}`,
    opened: opened(
      `お客様の銀行から、注文 ${order} の ${amount} について照会がありました。`,
      `お客様の銀行から、注文 ${order} の ${amount} について異議申し立てがありました。決定するまで、このお支払いは返金できません。`,
    ),
    reason: `理由：${reason}。`,
    respondBy: `${date}までに決済事業者に回答してください。`,
    closedSubject: `異議申し立て（${closed('解決：当店の主張が認められました', '解決：当店の主張が認められませんでした', '終了')}）：注文 ${order}`,
    closed: `注文 ${order} の ${amount} に関する異議申し立ては、${closed('当店の主張が認められました。', '当店の主張が認められませんでした。この金額が再び請求されることはなく、返金もできません。', '決定のないまま終了しました。')}`,
  },
  ar: {
    openedSubject: `${opened('استفسار عن', 'اعتراض على')} دفعة: الطلب ${order}`,
    opened: opened(
      `يستفسر مصرف العميل عن ${amount} من الطلب ${order}.`,
      `يعترض مصرف العميل على ${amount} من الطلب ${order}. لا يمكن رد الدفعة قبل البت في ذلك.`,
    ),
    reason: ` السبب: ${reason}.`,
    respondBy: ` يرجى الرد لدى مزود خدمة الدفع قبل ${date}.`,
    closedSubject: `${closed('كُسب الاعتراض', 'خُسر الاعتراض', 'أُغلق الاعتراض')}: الطلب ${order}`,
    closed: `الاعتراض على ${amount} من الطلب ${order}: ${closed('تم كسبه.', 'تمت خسارته. المبلغ غير مستحق مجددًا ولا يمكن رده.', 'أُغلق دون قرار.')}`,
  },
};
