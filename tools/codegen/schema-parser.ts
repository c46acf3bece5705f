/**
 * Reads the text of one schema file (grammar: protocol/README.md) into the model. Owns the grammar and its error
 * messages (`file:line: what is wrong`). Decides nothing about generated code.
 */
import {
  type ApiSchema,
  type ElementType,
  type Field,
  intersect,
  type Message,
  type PrimitiveType,
  primitiveTypes,
  type RecordSchema,
  type Struct,
  type VersionRange,
} from './schema-model';

interface Line {
  readonly number: number;
  readonly depth: number;
  readonly words: readonly string[];
}

/** A field line with the lines nested under it. */
interface Node {
  readonly line: Line;
  readonly children: Node[];
}

interface Section {
  readonly line: Line;
  readonly nodes: Node[];
}

const ENDLESS = 32767;

export class SchemaError extends Error {}

class SchemaReader {
  constructor(readonly path: string) {}

  fail(line: Line | null, what: string): never {
    throw new SchemaError(`${this.path}${line === null ? '' : `:${line.number}`}: ${what}`);
  }

  lines(text: string): Line[] {
    const lines: Line[] = [];
    for (const [index, raw] of text.split('\n').entries()) {
      const content = raw.replace(/#.*$/, '').trimEnd();
      if (content === '') continue;
      const indent = content.length - content.trimStart().length;
      const line = { number: index + 1, depth: indent / 2, words: content.trim().split(/\s+/) };
      if (indent % 2 !== 0) this.fail(line, 'indent by two spaces');
      lines.push(line);
    }
    return lines;
  }

  /** Header lines stand before the first section; a section is a depth-0 line followed by deeper ones. */
  split(lines: readonly Line[], sectionWords: readonly string[]): { header: Line[]; sections: Section[] } {
    const header: Line[] = [];
    const sections: Section[] = [];
    for (const line of lines) {
      if (line.depth === 0) {
        if (sectionWords.includes(line.words[0]!)) sections.push({ line, nodes: [] });
        else if (sections.length === 0) header.push(line);
        else this.fail(line, `expected a field or one of ${sectionWords.join(', ')}`);
      } else this.nest(sections, line);
    }
    return { header, sections };
  }

  private nest(sections: readonly Section[], line: Line): void {
    const section = sections.at(-1);
    if (section === undefined) this.fail(line, 'a field outside any section');
    let siblings = section.nodes;
    for (let depth = 1; depth < line.depth; depth++) {
      const parent = siblings.at(-1);
      if (parent === undefined) this.fail(line, 'indented deeper than its parent');
      siblings = parent.children;
    }
    siblings.push({ line, children: [] });
  }

  range(line: Line, text: string): VersionRange {
    const match = /^(\d+)(?:(\+)|-(\d+))?$/.exec(text);
    if (match === null) this.fail(line, `bad version range '${text}'`);
    const low = Number(match[1]);
    const high = match[2] !== undefined ? ENDLESS : match[3] !== undefined ? Number(match[3]) : low;
    if (high < low) this.fail(line, `empty version range '${text}'`);
    return { low, high };
  }

  firstFlexible(line: Line, text: string | undefined): number {
    if (text === 'none') return Number.POSITIVE_INFINITY;
    if (text === undefined || !/^\d+\+$/.test(text)) this.fail(line, "flexible needs 'N+' or 'none'");
    return Number.parseInt(text, 10);
  }
}

/** Builds one message: resolves struct names, narrows version ranges to what can occur. */
class MessageBuilder {
  private readonly structs = new Map<string, Struct>();
  private readonly uses = new Map<string, number>();
  private messageVersions: VersionRange = { low: 0, high: ENDLESS };

  constructor(
    private readonly reader: SchemaReader,
    private readonly firstFlexible: number,
  ) {}

  build(name: string, versions: VersionRange, nodes: readonly Node[]): Message {
    this.messageVersions = versions;
    this.countUses(nodes);
    const struct = this.struct(name, versions, nodes);
    return { struct, versions, firstFlexible: this.firstFlexible };
  }

  private countUses(nodes: readonly Node[]): void {
    for (const node of nodes) {
      const name = /[A-Z]\w*/.exec(node.line.words[1] ?? '')?.[0];
      if (name !== undefined) this.uses.set(name, (this.uses.get(name) ?? 0) + 1);
      this.countUses(node.children);
    }
  }

  private struct(name: string, versions: VersionRange, nodes: readonly Node[]): Struct {
    const struct: Struct = { name, versions, fields: [] };
    for (const node of nodes) {
      const field = this.field(node, versions);
      if (struct.fields.some((other) => other.name === field.name))
        this.reader.fail(node.line, 'a second field of this name');
      struct.fields.push(field);
    }
    return struct;
  }

  private field(node: Node, within: VersionRange): Field {
    const { line } = node;
    const [name, typeText, ...rest] = line.words;
    if (name === undefined || typeText === undefined || !/^[a-z]\w*$/.test(name))
      this.reader.fail(line, 'expected: name type');
    const type = /^(\[\])?(\w+)(\?(\S*))?$/.exec(typeText);
    if (type === null) this.reader.fail(line, `bad type '${typeText}'`);
    const declared = rest[0] !== undefined && /^\d/.test(rest[0]) ? this.reader.range(line, rest.shift()!) : within;
    const versions = intersect(declared, within);
    if (versions === null) this.reader.fail(line, 'no version of its parent has this field');
    const isArray = type[1] !== undefined;
    const nullable =
      type[3] === undefined ? null : type[4] === '' ? versions : this.nullRange(line, type[4]!, versions);
    return {
      name,
      isArray,
      element: this.element(type[2]!, versions, node),
      versions,
      nullable,
      ...this.attributes(line, rest, versions),
    };
  }

  private nullRange(line: Line, text: string, versions: VersionRange): VersionRange | null {
    return intersect(this.reader.range(line, text.includes('-') ? text : `${text}+`), versions);
  }

  private attributes(
    line: Line,
    words: readonly string[],
    versions: VersionRange,
  ): Pick<Field, 'tag' | 'exact' | 'ignorable' | 'defaultText'> {
    const left = [...words];
    let tag: number | null = null;
    let exact = false;
    let ignorable = false;
    let defaultText: string | null = null;
    while (left.length > 0) {
      const word = left.shift()!;
      if (word === 'tag') tag = Number(left.shift());
      else if (word === 'exact') exact = true;
      else if (word === 'ignorable') ignorable = true;
      else if (word === '=') defaultText = left.shift() ?? this.reader.fail(line, "nothing after '='");
      else this.reader.fail(line, `unknown word '${word}'`);
    }
    if (tag !== null && !Number.isInteger(tag)) this.reader.fail(line, 'tag needs a number');
    if (tag !== null && versions.low < this.firstFlexible)
      this.reader.fail(line, 'a tag before the first flexible version');
    return { tag, exact, ignorable, defaultText };
  }

  private element(name: string, versions: VersionRange, node: Node): ElementType {
    if ((primitiveTypes as readonly string[]).includes(name)) {
      if (node.children.length > 0) this.reader.fail(node.line, `${name} has no fields`);
      return { kind: 'primitive', primitive: name as PrimitiveType };
    }
    if (!/^[A-Z]/.test(name)) this.reader.fail(node.line, `unknown type '${name}'`);
    const known = this.structs.get(name);
    if (node.children.length === 0) {
      if (known === undefined) this.reader.fail(node.line, `struct ${name} has no fields`);
      return { kind: 'struct', struct: known };
    }
    if (known !== undefined) this.reader.fail(node.line, `struct ${name} is described twice`);
    // A struct with several uses may occur in versions that its first use does not have.
    const shared = (this.uses.get(name) ?? 0) > 1;
    const struct = this.struct(name, shared ? this.messageVersions : versions, node.children);
    this.structs.set(name, struct);
    return { kind: 'struct', struct };
  }
}

/** Parses `protocol/schemas/NN-name.msg`. */
export function parseApiSchema(path: string, text: string): ApiSchema {
  const reader = new SchemaReader(path);
  const { header, sections } = reader.split(reader.lines(text), ['request', 'response']);
  const values = new Map(header.map((line) => [line.words[0]!, line]));
  const take = (word: string): Line => values.get(word) ?? reader.fail(null, `no line '${word}'`);
  const api = take('api');
  const [, keyText = '', name = ''] = api.words;
  if (!/^\d+$/.test(keyText) || name === '') reader.fail(api, 'expected: api KEY NAME');
  const versions = reader.range(take('versions'), take('versions').words[1] ?? '');
  const firstFlexible = reader.firstFlexible(take('flexible'), take('flexible').words[1]);
  const unreleased = values.get('unreleased');
  const newestReleased =
    unreleased === undefined ? versions.high : reader.range(unreleased, unreleased.words[1] ?? '').low - 1;
  const message = (word: string, suffix: string): Message => {
    const section = sections.find((candidate) => candidate.line.words[0] === word);
    if (section === undefined) return reader.fail(null, `no section '${word}'`);
    return new MessageBuilder(reader, firstFlexible).build(`${name}${suffix}`, versions, section.nodes);
  };
  return {
    kind: 'api',
    key: Number(keyText),
    name,
    versions,
    newestReleased,
    firstFlexible,
    served: values.has('served'),
    request: message('request', 'Request'),
    response: message('response', 'Response'),
  };
}

const recordSuffix: Readonly<Record<string, string>> = { key: 'Key', value: 'Value', data: '' };

/** Parses `protocol/records/name.msg`. */
export function parseRecordSchema(path: string, text: string): RecordSchema {
  const reader = new SchemaReader(path);
  const { header, sections } = reader.split(reader.lines(text), Object.keys(recordSuffix));
  const line = header[0] ?? reader.fail(null, "no line 'record'");
  const words = line.words.slice(1);
  if (line.words[0] !== 'record' || header.length > 1 || words.length < 1)
    reader.fail(line, 'expected: record [ID] NAME');
  const name = words.at(-1)!;
  const messages = sections.map((section) => {
    const [word, versionsWord, versionsText, flexibleWord, flexibleText] = section.line.words;
    if (versionsWord !== 'versions' || flexibleWord !== 'flexible')
      reader.fail(section.line, `expected: ${word} versions A-B flexible N+`);
    const firstFlexible = reader.firstFlexible(section.line, flexibleText);
    const versions = reader.range(section.line, versionsText ?? '');
    return new MessageBuilder(reader, firstFlexible).build(`${name}${recordSuffix[word!]!}`, versions, section.nodes);
  });
  return { kind: 'record', id: words.length > 1 ? Number(words[0]) : null, name, messages };
}
