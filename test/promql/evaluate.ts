import { parser } from '@prometheus-io/lezer-promql';
import { type Labels, type Series, secondsOf } from './series.ts';

/**
 * Evaluates the part of PromQL that the rules of the service use, on the syntax tree of Prometheus's own grammar. Everything else throws.
 * `alerts.test.yml` has cases that promtool runs too, where it is present.
 */

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}
type Value = number | readonly Sample[];

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** A gauge counts for that long after its last sample (seconds). */
const LOOKBACK = 300;

export function evaluate(query: string, series: readonly Series[], t: number): readonly Sample[] {
  const value = new Evaluation(query, series, t).of(parser.parse(query).topNode);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

class Evaluation {
  readonly #query: string;
  readonly #series: readonly Series[];
  readonly #t: number;

  constructor(query: string, series: readonly Series[], t: number) {
    this.#query = query;
    this.#series = series;
    this.#t = t;
  }

  of(node: SyntaxNode): Value {
    switch (node.name) {
      case 'PromQL':
      case 'ParenExpr':
        return this.of(onlyChild(node));
      case 'NumberDurationLiteral':
        return Number(this.#text(node));
      case 'VectorSelector':
        return this.#instant(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      case 'BinaryExpr':
        return this.#binary(node);
      default:
        throw new Error(`the evaluator of the tests does not know ${node.name}`);
    }
  }

  #text(node: SyntaxNode): string {
    return this.#query.slice(node.from, node.to);
  }

  #vector(node: SyntaxNode): readonly Sample[] {
    const value = this.of(node);
    if (typeof value === 'number') throw new Error('a vector is expected');
    return value;
  }

  #select(node: SyntaxNode): Series[] {
    const name = this.#text(childOf(node, 'Identifier'));
    const matchers = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map((each) => {
      const [label, op] = [this.#text(childOf(each, 'LabelName')), this.#text(childOf(each, 'MatchOp'))];
      return matcherOf(label, op, JSON.parse(this.#text(childOf(each, 'StringLiteral'))));
    });
    return this.#series.filter((each) => each.name === name && matchers.every((matches) => matches(each.labels)));
  }

  #instant(node: SyntaxNode): Sample[] {
    return this.#select(node).flatMap(({ name, labels, samples }) => {
      const last = samples.findLast(({ t }) => t <= this.#t && t > this.#t - LOOKBACK);
      return last === undefined ? [] : [{ labels: { __name__: name, ...labels }, value: last.value }];
    });
  }

  #call(node: SyntaxNode): readonly Sample[] {
    const name = this.#text(childOf(node, 'FunctionIdentifier'));
    const argument = onlyChild(childOf(node, 'FunctionCallBody'));
    if (name === 'absent') return this.#vector(argument).length > 0 ? [] : [{ labels: {}, value: 1 }];
    if (argument.name !== 'MatrixSelector') throw new Error(`${name} needs a range`);
    const range = secondsOf(this.#text(childOf(argument, 'DurationExpr')));
    return this.#select(childOf(argument, 'VectorSelector')).flatMap(({ labels, samples }) => {
      const inRange = samples.filter(({ t }) => t <= this.#t && t > this.#t - range);
      const value = overTime(name, inRange, range, this.#t);
      return value === undefined ? [] : [{ labels, value }];
    });
  }

  #aggregate(node: SyntaxNode): Sample[] {
    const operation = this.#text(childOf(node, 'AggregateOp'));
    const samples = this.#vector(onlyChild(childOf(node, 'FunctionCallBody')));
    const modifier = node.getChild('AggregateModifier');
    if (modifier?.getChild('Without')) throw new Error('the evaluator of the tests does not know "without"');
    const by =
      modifier
        ?.getChild('GroupingLabels')
        ?.getChildren('LabelName')
        .map((each) => this.#text(each)) ?? [];
    const groups = Map.groupBy(samples, ({ labels }) => keyOf(pick(labels, by)));
    return [...groups.values()].map((group) => {
      const values = group.map(({ value }) => value);
      return { labels: pick(group[0]?.labels ?? {}, by), value: aggregateOf(operation, values) };
    });
  }

  #binary(node: SyntaxNode): Value {
    const [left, right] = [node.firstChild, node.lastChild];
    if (left === null || right === null) throw new Error('an operand is missing');
    const operator = operatorOf(node);
    const clause = node.getChild('MatchingModifierClause');
    const on = clause?.getChild('On')
      ? (clause.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((each) => this.#text(each))
      : undefined;
    const [a, b] = [this.of(left), this.of(right)];
    if (operator in SETS) return combineSets(operator as keyof typeof SETS, a, b, on);
    return combineValues(operator, a, b, { on, isMany: clause?.getChild('GroupLeft') != null });
  }
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ Add: '+', Sub: '-', Mul: '*', Div: '/', And: 'and', Or: 'or', Unless: 'unless' },
  ...{ Gtr: '>', Lss: '<', Gte: '>=', Lte: '<=', EqlC: '==', Eql: '==', Neq: '!=' },
};

function operatorOf(node: SyntaxNode): string {
  for (let child = node.firstChild?.nextSibling; child; child = child.nextSibling) {
    const operator = OPERATORS[child.name];
    if (operator !== undefined) return operator;
  }
  throw new Error('the evaluator of the tests does not know this operator');
}

const CALCULATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};
const SETS = { and: true, or: true, unless: true } as const;

function matchingKey(labels: Labels, on: readonly string[] | undefined): string {
  const { __name__: _, ...rest } = labels;
  return keyOf(on === undefined ? rest : pick(labels, on));
}

function combineSets(operator: keyof typeof SETS, a: Value, b: Value, on: readonly string[] | undefined): Sample[] {
  if (typeof a === 'number' || typeof b === 'number') throw new Error(`"${operator}" needs vectors`);
  const keys = (samples: readonly Sample[]) => new Set(samples.map(({ labels }) => matchingKey(labels, on)));
  const [left, right] = [keys(a), keys(b)];
  if (operator === 'or') return [...a, ...b.filter(({ labels }) => !left.has(matchingKey(labels, on)))];
  return a.filter(({ labels }) => right.has(matchingKey(labels, on)) === (operator === 'and'));
}

function combineValues(
  operator: string,
  a: Value,
  b: Value,
  { on, isMany }: { readonly on: readonly string[] | undefined; readonly isMany: boolean },
): Value {
  const compares = COMPARISONS[operator];
  const calculate = CALCULATIONS[operator] ?? ((x: number) => x);
  const result = (x: number, y: number) => (compares !== undefined && !compares(x, y) ? [] : [calculate(x, y)]);
  const labelsAfter = ({ __name__: name, ...labels }: Labels): Labels =>
    compares === undefined || name === undefined ? labels : { __name__: name, ...labels };
  if (typeof a === 'number' && typeof b === 'number') return calculate(a, b);
  if (typeof b === 'number')
    return (a as readonly Sample[]).flatMap(({ labels, value }) =>
      result(value, b).map((found) => ({ labels: labelsAfter(labels), value: found })),
    );
  if (typeof a === 'number')
    return b.flatMap(({ labels, value }) =>
      result(a, value).map(() => ({ labels: labelsAfter(labels), value: compares ? value : calculate(a, value) })),
    );
  const partners = Map.groupBy(b, ({ labels }) => matchingKey(labels, on));
  const seen = new Set<string>();
  return a.flatMap(({ labels, value }) => {
    const key = matchingKey(labels, on);
    const [partner, second] = partners.get(key) ?? [];
    if (partner === undefined) return [];
    if (second !== undefined || (seen.has(key) && !isMany)) throw new Error('many-to-many matching');
    seen.add(key);
    const kept = on !== undefined && !isMany && compares === undefined ? pick(labels, on) : labelsAfter(labels);
    return result(value, partner.value).map((found) => ({ labels: kept, value: found }));
  });
}

function overTime(name: string, samples: Series['samples'], range: number, end: number): number | undefined {
  const values = samples.map(({ value }) => value);
  if (values.length === 0) return undefined;
  switch (name) {
    case 'max_over_time':
      return Math.max(...values);
    case 'rate':
      return extrapolate(samples, range, end, true, range);
    case 'increase':
      return extrapolate(samples, range, end, true, 1);
    case 'delta':
      return extrapolate(samples, range, end, false, 1);
    default:
      throw new Error(`the evaluator of the tests does not know ${name}`);
  }
}

/** The algorithm of `extrapolatedRate` in promql/functions.go of Prometheus 3. */
function extrapolate(
  samples: Series['samples'],
  range: number,
  end: number,
  isCounter: boolean,
  divisor: number,
): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return undefined;
  let growth = last.value - first.value;
  if (isCounter)
    for (const [index, { value }] of samples.entries()) {
      const before = samples[index - 1]?.value ?? value;
      if (value < before) growth += before;
    }
  const sampled = last.t - first.t;
  const average = sampled / (samples.length - 1);
  let toStart = first.t - (end - range);
  let toEnd = end - last.t;
  if (toStart >= average * 1.1) toStart = average / 2;
  if (isCounter && growth > 0 && first.value >= 0) toStart = Math.min(toStart, sampled * (first.value / growth));
  if (toEnd >= average * 1.1) toEnd = average / 2;
  return (growth * (sampled + toStart + toEnd)) / sampled / divisor;
}

function aggregateOf(operation: string, values: readonly number[]): number {
  switch (operation) {
    case 'sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'max':
      return Math.max(...values);
    case 'count':
      return values.length;
    default:
      throw new Error(`the evaluator of the tests does not know ${operation}`);
  }
}

function matcherOf(label: string, operator: string, value: string): (labels: Labels) => boolean {
  const pattern = new RegExp(`^(?:${value})$`);
  const isMatch = (text: string) => (operator.includes('~') ? pattern.test(text) : text === value);
  // A label that is missing is empty.
  return (labels) => isMatch(labels[label] ?? '') === !operator.startsWith('!');
}

const pick = (labels: Labels, names: readonly string[]): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));

const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function childOf(node: SyntaxNode, name: string): SyntaxNode {
  const child = node.getChild(name);
  if (child === null) throw new Error(`${node.name} has no ${name}`);
  return child;
}

function onlyChild(node: SyntaxNode): SyntaxNode {
  const [child, ...others] = childrenOf(node);
  if (child === undefined || others.length > 0) throw new Error(`${node.name} must have one part`);
  return child;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
