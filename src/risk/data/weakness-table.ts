import type { FindingClass } from './class-table.ts';

/**
 * Classes of weaknesses in code, by CWE number. `prior` is how often such a weakness, where real, is worth an attack;
 * `impact` stands in where the tool gave no severity, and is a ceiling where `caps` (nothing to be won from it alone).
 * Names that the exploitable classes know (sqli, rce, ssrf …) are used for the same thing here.
 */
type Row = readonly [name: string, prior: number, impact: number, caps: boolean, cwes: readonly number[]];

const ROWS: readonly Row[] = [
  ['sqli', 0.7, 0.75, false, [89, 564, 943]],
  ['command_injection', 0.7, 0.9, false, [77, 78, 88]],
  ['rce', 0.7, 0.9, false, [74, 94, 95, 96, 470, 913, 917]],
  ['ssti', 0.7, 0.9, false, [1336]],
  ['deserialization', 0.7, 0.9, false, [502]],
  ['lfi', 0.7, 0.75, false, [98, 829]],
  ['path-traversal', 0.7, 0.75, false, [22, 23, 35, 36, 59, 73]],
  ['ssrf', 0.7, 0.75, false, [918]],
  ['xxe', 0.7, 0.75, false, [611, 827]],
  ['xslt', 0.7, 0.75, false, [91, 643]],
  ['file-upload', 0.7, 0.75, false, [434]],
  [
    'auth-bypass',
    0.7,
    0.75,
    false,
    [287, 288, 290, 302, 304, 305, 306, 307, 345, 347, 348, 349, 350, 425, 565, 640, 784, 807],
  ],
  ['credential', 0.6, 0.9, false, [255, 256, 257, 259, 260, 312, 321, 522, 523, 798]],
  ['access_control', 0.5, 0.75, false, [250, 266, 269, 284, 285, 346, 384, 441, 613, 639, 668, 862, 863, 1385]],
  ['ldap_injection', 0.5, 0.75, false, [90]],
  ['prototype_pollution', 0.5, 0.6, false, [915, 1321]],
  ['xss', 0.5, 0.45, false, [79, 80, 83, 84, 87, 116]],
  [
    'memory_safety',
    0.4,
    0.75,
    false,
    [119, 120, 121, 122, 123, 124, 125, 126, 127, 131, 134, 415, 416, 457, 476, 787, 788, 824, 843, 908],
  ],
  ['supply_chain', 0.4, 0.75, false, [426, 427, 494, 506, 937, 1104, 1357, 1395]],
  ['hidden_code', 0.4, 0.6, false, [838, 1007]],
  ['debug_mode', 0.4, 0.5, false, [489]],
  ['csrf', 0.4, 0.45, false, [352]],
  ['header_injection', 0.4, 0.3, false, [93, 113]],
  ['open_redirect', 0.4, 0.3, false, [601]],
  ['transport', 0.3, 0.5, false, [295, 296, 297, 298, 299, 319, 322, 599]],
  ['input_validation', 0.3, 0.45, false, [15, 20, 99, 129, 155, 178, 180, 184, 444, 501, 625, 1284, 1286, 1287]],
  ['integer_overflow', 0.3, 0.45, false, [190, 191, 193, 369, 681, 682, 704]],
  ['permissions', 0.3, 0.45, false, [273, 275, 276, 277, 279, 281, 732]],
  ['denial_of_service', 0.3, 0.3, false, [185, 400, 401, 404, 405, 407, 409, 674, 730, 770, 776, 789, 835, 1333]],
  ['misconfig', 0.3, 0.3, false, [16, 605, 942, 1188, 1327]],
  ['weak_crypto', 0.2, 0.45, false, [261, 310, 311, 325, 326, 327, 328, 329, 759, 760, 780, 916]],
  ['weak_random', 0.2, 0.45, false, [330, 331, 335, 336, 337, 338, 340]],
  ['temporary_file', 0.2, 0.3, false, [362, 364, 366, 367, 377, 378, 379]],
  ['info_disclosure', 0.2, 0.2, true, [200, 201, 203, 208, 209, 215, 497, 532, 538, 539, 540, 548, 552, 598, 615]],
  ['log_injection', 0.2, 0.2, true, [117]],
  ['hardening', 0.05, 0.1, true, [358, 525, 614, 693, 1004, 1021, 1275]],
  [
    'robustness',
    0.05,
    0.1,
    true,
    [
      242, 248, 252, 390, 391, 396, 397, 478, 480, 481, 482, 483, 484, 561, 563, 570, 571, 617, 628, 670, 676, 697, 703,
      710, 754, 755, 758, 783,
    ],
  ],
];

/** By CWE id in the form `CWE-79`; where rows share a number, the first row has it. */
export const WEAKNESS_CLASSES: ReadonlyMap<string, FindingClass> = new Map(
  ROWS.toReversed().flatMap(([name, prior, impact, caps, cwes]) =>
    cwes.map(cwe => [`CWE-${cwe}`, { name, prior, impact, caps }] as const),
  ),
);

/** R of code by what is known of its place, most telling first. */
export const CODE_REACH = {
  /** A secret needs no running code: who can read the repository has it. */
  publicSecret: 1,
  testPath: 0.3,
  examplePath: 0.5,
  publicCode: 0.9,
} as const;

/** A scanner that nobody confirmed is never certain, and one that reports at all is never nothing. */
export const CODE_CONFIDENCE_BOUNDS = { min: 0.05, max: 0.95 } as const;

/** Folder names by which a file is known as test or example code. */
export const TEST_FOLDERS: ReadonlySet<string> = new Set(
  'test tests testing testdata test-data __tests__ __mocks__ mock mocks spec specs fixture fixtures e2e cypress'.split(
    ' ',
  ),
);
export const EXAMPLE_FOLDERS: ReadonlySet<string> = new Set(
  'example examples sample samples demo demos doc docs tutorial tutorials'.split(' '),
);
/** File names of tests, in lower case: `a_test.go`, `test_a.py`, `a.spec.ts`, `conftest.py`, `ATest.java`. */
export const TEST_FILE =
  /(?:^test_[^/]*\.py|_test\.\w+|[._-](?:test|spec)\.\w+|^conftest\.py|^\w+tests?\.(?:java|kt|cs))$/;
export const EXAMPLE_FILE = /(?:^|[._-])(?:example|sample|dist|template)(?:\.\w+)?$/;
