import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { toNeutralAnswer } from './neutral-answer.ts';
import { listLacks, matches, type Requirement, type When } from './when.ts';

/** One thing that the scripted model says. */
export interface Rule {
  readonly name?: string;
  readonly when?: When;
  /** Not met: the model has not seen what it is to speak of, and answers neutrally. */
  readonly requires?: Requirement;
  readonly answer: Answer | ((exchange: Exchange) => Answer);
  /** How often the rule may answer; default without end. */
  readonly times?: number;
  /** A model may make up a tool that it was not offered, or its input. Without this such an answer is the script's fault. */
  readonly invents?: boolean;
}

export interface Chosen {
  readonly rule: string;
  readonly answer: Answer;
  /** What the real model could never have said; the simulator reports it. */
  readonly faults: readonly string[];
}

export interface Script {
  /** Read anew at each request; the first rule that fits answers. */
  readonly rules: Rule[];
  choose(exchange: Exchange): Chosen;
}

export function createScript(
  rules: readonly Rule[],
  neutral: (exchange: Exchange) => Answer = toNeutralAnswer,
): Script {
  const live = [...rules];
  const uses = new Map<Rule, number>();
  return {
    rules: live,
    choose: exchange => {
      for (const [index, rule] of live.entries()) {
        if ((uses.get(rule) ?? 0) >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
        if (rule.when !== undefined && !matches(rule.when, exchange)) continue;
        const name = rule.name ?? `rule ${index + 1}`;
        const lacks = listLacks(rule.requires ?? {}, exchange);
        if (lacks.length > 0) {
          return { rule: `neutral (${name} lacks ${lacks.join(', ')})`, answer: neutral(exchange), faults: [] };
        }
        const answer = typeof rule.answer === 'function' ? rule.answer(exchange) : rule.answer;
        // Where tools are forbidden the model cannot call one: the next rule speaks.
        if ((answer.calls?.length ?? 0) > 0 && exchange.seen?.toolsAllowed === false) continue;
        uses.set(rule, (uses.get(rule) ?? 0) + 1);
        return { rule: name, answer, faults: listFaults(name, rule, answer, exchange) };
      }
      return { rule: 'neutral', answer: neutral(exchange), faults: [] };
    },
  };
}

function listFaults(name: string, rule: Rule, answer: Answer, exchange: Exchange): string[] {
  const faults: string[] = [];
  const offered = exchange.seen?.tools ?? [];
  for (const call of answer.calls ?? []) {
    if (rule.invents !== true && !offered.includes(call.name)) {
      faults.push(`script: ${name} calls ${call.name}, which was not offered`);
    }
  }
  const schema = exchange.seen?.schema ?? null;
  if (answer.json !== undefined && schema !== null) {
    const ajv = new Ajv2020({ strict: false });
    if (!ajv.validate(schema, answer.json)) {
      faults.push(`script: ${name} breaks the schema of the answer: ${ajv.errorsText(ajv.errors)}`);
    }
  }
  return faults;
}
