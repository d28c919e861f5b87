/** True when a heading (or a short line that serves as one) opens a list of acceptance criteria. */
export function isAcceptanceHeading(text: string): boolean {
  const heading = fold(text);
  if (heading.length > MAX_HEADING_CHARS) return false;
  if (SHORT_FORMS.has(heading)) return true;
  return PHRASES.some(phrase => containsWords(heading, phrase));
}

/** True for headings within such a list whose items are just what is not asked for. */
export const isExcludedHeading = (text: string): boolean =>
  /^(?:out of scope|not in scope|non goals?|won t do)$/.test(fold(text));

const MAX_HEADING_CHARS = 80;
const SHORT_FORMS = new Set(['ac', 'acs', 'dod', 'acceptance', 'a c', 'd o d', 'abnahme']);

/** English and the other languages that most issues are written in; matched without accents, case and punctuation. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  english: [
    'acceptance criteria',
    'acceptance criterion',
    'acceptance conditions',
    'acceptance tests',
    'acceptance requirements',
    'conditions of acceptance',
    'conditions of satisfaction',
    'definition of done',
    'done when',
    'done means',
  ],
  chinese: [
    '验收标准',
    '验收条件',
    '验收准则',
    '接受标准',
    '完成的定义',
    '完成定义',
    '完成标准',
    '驗收標準',
    '驗收條件',
    '完成定義',
    '完成的定義',
  ],
  spanish: [
    'criterios de aceptación',
    'criterio de aceptación',
    'condiciones de aceptación',
    'definición de hecho',
    'definición de terminado',
    'definición de completado',
  ],
  german: [
    'Akzeptanzkriterien',
    'Akzeptanzkriterium',
    'Abnahmekriterien',
    'Abnahmekriterium',
    'Abnahmebedingungen',
    'Definition von Fertig',
    'Fertig, wenn',
  ],
  french: [
    "critères d'acceptation",
    "critère d'acceptation",
    "critères d'acceptance",
    'critères de validation',
    'critères de recette',
    "conditions d'acceptation",
    'définition de fini',
    'définition du fini',
    'définition de terminé',
  ],
  portuguese: [
    'critérios de aceitação',
    'critério de aceitação',
    'critérios de aceite',
    'critério de aceite',
    'definição de pronto',
    'definição de concluído',
    'definição de feito',
  ],
  japanese: [
    '受け入れ基準',
    '受入基準',
    '受入れ基準',
    '受け入れ条件',
    '受入条件',
    '受入れ条件',
    '完了の定義',
    '完成の定義',
    '完了条件',
  ],
  russian: [
    'критерии приёмки',
    'критерии приемки',
    'критерий приёмки',
    'критерии готовности',
    'критерии принятия',
    'условия приёмки',
    'определение готовности',
  ],
  korean: [
    '인수 기준',
    '인수 조건',
    '수락 기준',
    '수락 조건',
    '수용 기준',
    '완료의 정의',
    '완료 정의',
    '완료 조건',
    '완료 기준',
  ],
  italian: [
    'criteri di accettazione',
    'criterio di accettazione',
    'criteri di accettabilità',
    'definizione di fatto',
    'definizione di completato',
  ],
  dutch: ['acceptatiecriteria', 'acceptatiecriterium', 'definitie van klaar', 'definitie van gereed'],
  polish: ['kryteria akceptacji', 'kryterium akceptacji', 'definicja ukończenia', 'definicja ukończonego'],
  turkish: ['kabul kriterleri', 'kabul kriteri', 'tamamlanma tanımı', 'bitti tanımı'],
  ukrainian: ['критерії приймання', 'критерії прийняття', 'визначення готовності'],
  arabic: ['معايير القبول', 'شروط القبول', 'تعريف الإنجاز', 'تعريف الاكتمال'],
  hindi: ['स्वीकृति मानदंड', 'स्वीकार्यता मानदंड', 'स्वीकृति के मानदंड'],
  indonesian: ['kriteria penerimaan', 'definisi selesai'],
  vietnamese: ['tiêu chí chấp nhận', 'tiêu chí nghiệm thu'],
  swedish: ['acceptanskriterier', 'acceptanskriterium'],
};

const PHRASES = Object.values(HEADINGS).flat().map(fold);

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Scripts without spaces between words have no word boundary to ask for. */
function containsWords(heading: string, phrase: string): boolean {
  if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(phrase)) return heading.includes(phrase);
  return ` ${heading} `.includes(` ${phrase} `);
}
