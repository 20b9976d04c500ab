/**
 * Japanese syllables in Latin letters (Hepburn), where one sign changes how another is read: small kana after a syllable, and
 * the small tsu, which doubles the consonant after it. Long vowels are written as short ones.
 */
import anyAscii from 'any-ascii';

const runs = /[\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const smallY = /^[ゃゅょャュョ]$/;
const smallVowel = /^[ぁぃぅぇぉァィゥェォ]$/;

/** A text with its kana in Latin letters: `appuru` for アップル. */
export function withLatinKana(text: string): string {
  return text.replaceAll(runs, latinOfRun);
}

function latinOfRun(run: string): string {
  let latin = '';
  let doubles = false;
  for (const sign of run) {
    const letters = anyAscii(sign)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '');
    if (sign === 'っ' || sign === 'ッ') doubles = true;
    else if (smallY.test(sign) && /[^aeiou]i$/.test(latin)) {
      // sha, cha and ja have no y.
      latin = latin.slice(0, -1) + (/(?:sh|ch|j)i$/.test(latin) ? letters.slice(1) : letters);
    } else if (smallVowel.test(sign) && /[^aeiou][aeiou]$/.test(latin)) latin = latin.slice(0, -1) + letters;
    else if (smallVowel.test(sign) && latin === 'u') latin = `w${letters}`;
    else {
      const [first = ''] = letters;
      if (doubles && /[^aeioun]/.test(first)) latin += letters.startsWith('ch') ? 't' : first;
      latin += letters;
      doubles = false;
    }
  }
  return latin;
}
