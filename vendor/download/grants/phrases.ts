/**
 * The phrases of the mail with downloads, in Liquid, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface DownloadPhrases {
  subject: string;
  files: string;
  left: string;
  passOn: string;
}

const number = '{{ order.number }}';
const remaining = '{{ download.remaining }}';

export const downloadPhrases: InLanguages<DownloadPhrases> = {
  en: {
    subject: `Your downloads of order ${number}`,
    files: `here are the files of your order ${number}:`,
    left: `Downloads left: ${remaining}`,
    passOn:
      'Links of earlier mails have ended. Pass these on to nobody: everyone who has them can use up your downloads.',
  },
  de: {
    subject: `Ihre Downloads zur Bestellung ${number}`,
    files: `hier sind die Dateien Ihrer Bestellung ${number}:`,
    left: `Verbleibende Downloads: ${remaining}`,
    passOn:
      'Links aus früheren E-Mails sind nicht mehr gültig. Geben Sie diese nicht weiter: Wer sie hat, kann Ihre Downloads verbrauchen.',
  },
  fr: {
    subject: `Vos téléchargements de la commande ${number}`,
    files: `voici les fichiers de votre commande ${number} :`,
    left: `Téléchargements restants : ${remaining}`,
    passOn:
      'Les liens des e-mails précédents ne sont plus valables. Ne transmettez ceux-ci à personne : quiconque les possède peut épuiser vos téléchargements.',
  },
  es: {
    subject: `Sus descargas del pedido ${number}`,
    files: `Aquí tiene los archivos de su pedido ${number}:`,
    left: `Descargas restantes: ${remaining}`,
    passOn:
      'Los enlaces de correos anteriores ya no son válidos. No comparta estos con nadie: quien los tenga puede agotar sus descargas.',
  },
  it: {
    subject: `I suoi download dell’ordine ${number}`,
    files: `ecco i file del suo ordine ${number}:`,
    left: `Download rimanenti: ${remaining}`,
    passOn:
      'I link delle e-mail precedenti non sono più validi. Non inoltri questi a nessuno: chi li possiede può esaurire i suoi download.',
  },
  nl: {
    subject: `Uw downloads van bestelling ${number}`,
    files: `Hier zijn de bestanden van uw bestelling ${number}:`,
    left: `Resterende downloads: ${remaining}`,
    passOn:
      'Links uit eerdere e-mails werken niet meer. Stuur deze aan niemand door: wie ze heeft, kan uw downloads opmaken.',
  },
  pl: {
    subject: `Twoje pliki z zamówienia ${number}`,
    files: `oto pliki z zamówienia ${number}:`,
    left: `Pozostałe pobrania: ${remaining}`,
    passOn:
      'Linki z wcześniejszych wiadomości już nie działają. Nie przekazuj tych linków nikomu: kto je ma, może wykorzystać Twoje pobrania.',
  },
  ja: {
    subject: `ご注文 ${number} のダウンロード`,
    files: `ご注文（${number}）のファイルはこちらです：`,
    left: `残りのダウンロード回数：${remaining}`,
    passOn:
      '以前のメールのリンクは無効になりました。リンクを知っている人は誰でもダウンロード回数を消費できますので、他の方には転送しないでください。',
  },
  ar: {
    subject: `ملفات طلبك ${number}`,
    files: `إليك ملفات طلبك ${number}:`,
    left: `عدد التنزيلات المتبقية: ${remaining}`,
    passOn: 'لم تعد روابط الرسائل السابقة صالحة. لا ترسل هذه الروابط إلى أي شخص، فكل من يملكها يمكنه استنفاد تنزيلاتك.',
  },
};
