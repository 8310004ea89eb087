/** The syntax tree that the grammar produces, before names are looked up. Each node has its offset in the option's value. */

export type LiteralKind = 'null' | 'boolean' | 'number' | 'string' | 'guid' | 'dateTime' | 'date' | 'timeOfDay' | 'duration';

export interface LiteralNode {
  k: 'literal';
  kind: LiteralKind;
  /** The text as written; for strings and durations the text between the quotes. */
  text: string;
  pos: number;
}

export interface AliasNode {
  k: 'alias';
  name: string;
  pos: number;
}

export interface PathNode {
  k: 'path';
  path: string[];
  pos: number;
}

/** `path/any(variable:where)`; `any()` has neither variable nor condition. */
export interface LambdaNode {
  k: 'any' | 'all';
  path: string[];
  variable: string | undefined;
  where: Node | undefined;
  pos: number;
}

/** `path/$count`. */
export interface CountNode {
  k: 'count';
  path: string[];
  pos: number;
}

export type Node =
  | LiteralNode
  | AliasNode
  | PathNode
  | { k: 'and' | 'or'; of: Node[]; pos: number }
  | { k: 'not' | 'negate'; of: Node; pos: number }
  | { k: 'compare'; op: string; left: Node; right: Node; pos: number }
  | { k: 'math'; op: string; left: Node; right: Node; pos: number }
  | { k: 'in'; left: Node; list: (LiteralNode | AliasNode)[] | AliasNode; pos: number }
  | LambdaNode
  | CountNode
  | { k: 'call'; name: string; args: Node[]; pos: number };

export interface OrderNode {
  of: Node;
  descending: boolean;
  pos: number;
}

export interface SelectNode {
  /** `['*']` stands for all fields. */
  path: string[];
  pos: number;
}

export type ExpandOption =
  | { name: 'filter'; value: Node; pos: number }
  | { name: 'orderby'; value: OrderNode[]; pos: number }
  | { name: 'select'; value: SelectNode[]; pos: number }
  | { name: 'expand'; value: ExpandNode[]; pos: number }
  | { name: 'top' | 'skip' | 'count'; value: string; pos: number };

export interface ExpandNode {
  /** `*` stands for every relation. */
  name: string;
  options: ExpandOption[];
  /** Set for `name/$count`: the number of related rows instead of the rows. */
  countOnly?: boolean;
  pos: number;
}

/** A `$search`: texts to find in any searched field of a row, joined by and, or, not. */
export type SearchNode = { k: 'text'; text: string } | { k: 'not'; of: SearchNode } | { k: 'and' | 'or'; of: SearchNode[] };

export interface AggregateNode {
  /** Absent for `$count`. */
  of?: Node;
  method: string;
  name: string;
  pos: number;
}

export interface ComputedNode {
  of: Node;
  name: string;
  pos: number;
}

/** `rollup`: groups by all keys, by all but the last key, and so on; with `$all` (`hasTotal`) also by no key. */
export interface RollupNode {
  k: 'rollup';
  keys: PathNode[];
  hasTotal: boolean;
  pos: number;
}

/** One transformation of `$apply`; `aggregate` is a grouping without keys. */
export type StepNode =
  | { k: 'filter'; where: Node; pos: number }
  | { k: 'orderby'; by: OrderNode[]; pos: number }
  | { k: 'top' | 'skip'; count: string; pos: number }
  | { k: 'compute'; of: ComputedNode[]; pos: number }
  | { k: 'groupby'; keys: (PathNode | RollupNode)[]; of: AggregateNode[]; pos: number }
  | { k: 'concat'; of: StepNode[][]; pos: number }
  | { k: 'identity'; pos: number };

/** Result of each start rule of the grammar. */
export interface StartRuleResults {
  Filter: Node;
  OrderBy: OrderNode[];
  Select: SelectNode[];
  Expand: ExpandNode[];
  Search: SearchNode;
  Apply: StepNode[];
  Compute: ComputedNode[];
  Literal: LiteralNode;
  List: (LiteralNode | AliasNode)[];
}
