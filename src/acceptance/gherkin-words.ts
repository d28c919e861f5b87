/** Gherkin's keywords in the languages of our headings, lower case, by what they do. */
export const GHERKIN_WORDS = [
  [
    'feature',
    [
      'feature',
      'rule',
      'funktionalität',
      'funktion',
      'regel',
      'fonctionnalité',
      'règle',
      'característica',
      'regla',
    ].concat([
      'funcionalidade',
      'funzionalità',
      'функция',
      'функциональность',
      'правило',
      '功能',
      '规则',
      '機能',
      '기능',
    ]),
  ],
  [
    'background',
    [
      'background',
      'grundlage',
      'hintergrund',
      'contexte',
      'antecedentes',
      'contexto',
      'contesto',
      'предыстория',
    ].concat(['контекст', '背景', '배경']),
  ],
  [
    'scenario',
    ['scenario', 'scenario outline', 'scenario template', 'example', 'szenario', 'szenariogrundriss', 'beispiel']
      .concat(['scénario', 'plan du scénario', 'exemple', 'escenario', 'esquema del escenario', 'ejemplo', 'cenário'])
      .concat(['esquema do cenário', 'exemplo', 'esempio', 'schema dello scenario', 'сценарий', 'структура сценария'])
      .concat(['пример', '场景', '剧本', '场景大纲', 'シナリオ', 'シナリオアウトライン', '시나리오', '시나리오 개요']),
  ],
  [
    'examples',
    ['examples', 'scenarios', 'beispiele', 'exemples', 'ejemplos', 'exemplos', 'esempi', 'примеры', '例子', '例', '예'],
  ],
  [
    'given',
    ['given', 'angenommen', 'gegeben sei', 'gegeben seien', 'gegeben', 'soit', 'étant donné', 'étant donné que']
      .concat(['etant donné', 'étant donnée', 'sachant que', 'dado', 'dada', 'dados', 'dadas', 'dato', 'data', 'dati'])
      .concat(['допустим', 'дано', 'пусть', '假如', '假设', '假定', '前提', '조건', '먼저']),
  ],
  ['when', ['when', 'wenn', 'quand', 'lorsque', 'cuando', 'quando', 'когда', 'если', '当', 'もし', '만일', '만약']],
  [
    'then',
    [
      'then',
      'dann',
      'alors',
      'donc',
      'entonces',
      'então',
      'entao',
      'allora',
      'то',
      'затем',
      'тогда',
      '那么',
      'ならば',
      '그러면',
    ],
  ],
  [
    'more',
    [
      'and',
      'but',
      '*',
      'und',
      'aber',
      'et',
      'et que',
      'mais',
      'y',
      'e',
      'pero',
      'mas',
      'ma',
      'и',
      'а',
      'но',
      'к тому же',
    ].concat(['而且', '并且', '同时', '但是', 'かつ', 'しかし', '그리고', '하지만', '단']),
  ],
] as const satisfies readonly (readonly [string, readonly string[]])[];
