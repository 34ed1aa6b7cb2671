import {
  isDefaulted,
  knowsArgument,
  planWithArguments,
  planWithPart,
} from '../../inventory/formats/terraform/change-plan.ts';
import type { DeclaredResource } from '../../inventory/formats/terraform/change-plan.ts';
import {
  addBlockAfter,
  argumentOf,
  isLiteral,
  setArgument,
} from '../../inventory/formats/terraform/edit-hcl.ts';
import type { HclSetting } from '../../inventory/formats/terraform/edit-hcl.ts';
import { scanHcl } from '../../inventory/formats/terraform/hcl.ts';
import type { HclBlock } from '../../inventory/formats/terraform/hcl.ts';
import type { Fields } from '../../inventory/json.ts';
import { folderOf } from '../../inventory/formats/terraform/source-lines.ts';
import { writtenInTerraform } from '../../inventory/written/terraform.ts';
import type {
  Part,
  TerraformSetting,
  TerraformSettings,
} from '../../inventory/written/terraform.ts';
import { leavesOf } from '../../engine/remediation/patch.ts';
import type { Patch } from '../../engine/remediation/patch.ts';

/** Sources and the plans that were made of them. */
export interface TerraformState {
  /** By path, relative to the root module. */
  readonly texts: ReadonlyMap<string, string>;
  readonly plans: readonly Fields[];
}

/** Where a resource is declared. */
export interface Declared {
  readonly path: string;
  readonly labels: readonly string[];
}

type Proposal =
  | {
      readonly ok: true;
      readonly state: TerraformState;
      /** Addresses of resources that are new. */
      readonly added: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/** What stands in the way. */
class RefusedError extends Error {}

/**
 * Sources with a policy's patch written at one of their resources, and copies of the plans in which it is planned so.
 * @param moduleFolder the folder of a module, by its address
 */
export function proposeInTerraform(
  state: TerraformState,
  declared: Declared,
  patch: Patch,
  moduleFolder: (module: string) => string | undefined,
): Proposal {
  try {
    const draft = new Draft(state, declared, moduleFolder);
    for (const [own, settings] of byPart(declared, patch)) {
      if (own) draft.setInPart(own, settings);
      else
        draft.set(
          declared,
          settings.flatMap((one) => one.settings),
        );
    }
    return draft.isChanged
      ? { ok: true, state: draft, added: draft.added }
      : { ok: false, why: 'the source already has this value; create a new plan' };
  } catch (error) {
    if (error instanceof RefusedError) return { ok: false, why: error.message };
    throw error;
  }
}

/** What a patch sets, by the part that it is written in; undefined for the resource itself. */
function byPart(
  { labels: [, type = ''] }: Declared,
  patch: Patch,
): Map<Part | undefined, TerraformSettings[]> {
  const parts = new Map<string, Part | undefined>();
  const settings = new Map<Part | undefined, TerraformSettings[]>();
  for (const [attribute, value] of leavesOf(patch)) {
    const written = writtenInTerraform(type, attribute, value);
    if (!written) {
      throw new RefusedError(
        `setting ${attribute} of ${type} to ${JSON.stringify(value)} is not supported in .tf files; change it manually`,
      );
    }
    const name = written.part?.type ?? '';
    if (!parts.has(name)) parts.set(name, written.part);
    const part = parts.get(name);
    settings.set(part, [...(settings.get(part) ?? []), written]);
  }
  return settings;
}

class Draft implements TerraformState {
  readonly texts: Map<string, string>;
  plans: readonly Fields[];
  readonly added: string[] = [];
  isChanged = false;

  constructor(
    state: TerraformState,
    private readonly owner: Declared,
    private readonly moduleFolder: (module: string) => string | undefined,
  ) {
    this.texts = new Map(state.texts);
    this.plans = state.plans;
  }

  set(at: Declared, given: readonly TerraformSetting[]): void {
    const settings = given.map((one) => this.named(at, one));
    const ignored = this.argumentAt(at, ['lifecycle', 'ignore_changes']);
    for (const setting of settings) {
      const [name = ''] = setting.path;
      if (ignored !== undefined && new RegExp(`\\b(?:all|${name})\\b`).test(ignored))
        throw new RefusedError(`Terraform ignores changes to ${name} for this resource`);
      this.take(at.path, setArgument(this.textOf(at.path), at.labels, setting));
    }
    this.changePlans((plan) => planWithArguments(plan, this.resourceOf(at), settings));
  }

  /** As the source or the provider of the plan calls it. */
  private named(at: Declared, { path, value, formerly }: TerraformSetting): HclSetting {
    const [name = '', ...below] = path;
    const isKnown = (one: string) =>
      this.plans.every((plan) => knowsArgument(plan, this.resourceOf(at), one));
    if (formerly !== undefined) {
      const isNow = this.argumentAt(at, [name]) !== undefined;
      const isOld = this.argumentAt(at, [formerly]) !== undefined || !isKnown(name);
      if (isOld && !isNow && isKnown(formerly)) return { path: [formerly, ...below], value };
    }
    if (isKnown(name)) return { path, value };
    throw new RefusedError(`the provider version of the plan has no argument ${name}`);
  }

  /** In the part that is there, in the resource itself as older sources have it, or in a new part. */
  setInPart(part: Part, written: readonly TerraformSettings[]): void {
    const settings = written.flatMap((one) => one.settings);
    const older = written.flatMap((one) => one.older ?? []);
    const there = this.findPart(part);
    const isFresh = written.some((one) => one.isFresh);
    const inside = older.length > 0 && this.sourceHas(older);
    if (isFresh && (there || inside))
      throw new RefusedError('the resource already has these rules');
    if (there) this.set(there, settings);
    else if (inside) this.set(this.owner, older);
    else if (!part.isSince4 || !this.isBefore4()) this.add(part, settings);
    else if (older.length > 0) this.set(this.owner, older);
    else throw new RefusedError(`the provider version of the plan has no ${part.type}`);
  }

  private add(part: Part, settings: readonly HclSetting[]): void {
    const { path, labels } = this.owner;
    const [, type = '', name = ''] = labels;
    const block = this.blockOf(this.owner);
    if (block.attributes.some((one) => ['count', 'for_each'].includes(one.name)))
      throw new RefusedError(
        `the resource has several instances, and each requires its own ${part.type}`,
      );
    const all = [...part.also, ...settings];
    const reference = { expression: `${type}.${name}.id` };
    this.take(
      path,
      addBlockAfter(
        this.textOf(path),
        labels,
        ['resource', part.type, name],
        [{ path: [part.by], value: reference }, ...all],
      ),
    );
    this.changePlans((plan) => {
      const made = planWithPart(plan, this.resourceOf(this.owner), { ...part, settings: all });
      this.added.push(...(made?.added ?? []));
      return made?.plan;
    });
  }

  /** The part of the resource that the module declares. @throws RefusedError where one may be it */
  private findPart({ type, by }: Part): Declared | undefined {
    const [, ownerType = '', ownerName = ''] = this.owner.labels;
    const folder = folderOf(this.owner.path);
    const name = this.argumentAt(this.owner, [by]);
    for (const [path, text] of this.texts) {
      if (folderOf(path) !== folder) continue;
      for (const block of scanHcl(text).blocks) {
        if (block.labels[0] !== 'resource' || block.labels[1] !== type) continue;
        const given = argumentOf(text, block, [by]) ?? '';
        const [, owner] = new RegExp(`^${ownerType}\\.([\\w-]+)\\.\\w+$`).exec(given) ?? [];
        const isLikeName = isLiteral(given) && name !== undefined && isLiteral(name);
        if (owner === ownerName || (isLikeName && given === name))
          return { path, labels: block.labels };
        if (owner === undefined && !isLikeName)
          throw new RefusedError(
            `${block.labels.slice(1).join('.')} may refer to the same resource`,
          );
      }
    }
    return undefined;
  }

  private sourceHas(settings: readonly HclSetting[]): boolean {
    const { blocks, attributes } = this.blockOf(this.owner);
    const names = new Set(settings.map(({ path: [name] }) => name));
    const isThere = ({ labels }: HclBlock) => labels.some((label) => names.has(label));
    return blocks.some(isThere) || attributes.some(({ name }) => names.has(name));
  }

  /** Before version 4 of its provider a bucket had a default ACL, and its settings were blocks of it. */
  private isBefore4(): boolean {
    return this.plans.some((plan) => isDefaulted(plan, this.resourceOf(this.owner), 'acl'));
  }

  private argumentAt(at: Declared, path: readonly string[]): string | undefined {
    return argumentOf(this.textOf(at.path), this.blockOf(at), path);
  }

  /** @throws RefusedError where another file of the module declares it too: Terraform takes no such module */
  private blockOf({ path, labels }: Declared): HclBlock {
    const key = JSON.stringify(labels);
    const isTwice = Array.from(this.texts).some(
      ([other, text]) =>
        other !== path &&
        folderOf(other) === folderOf(path) &&
        scanHcl(text).blocks.some((one) => JSON.stringify(one.labels) === key),
    );
    if (isTwice) throw new RefusedError('another file in the directory also declares the resource');
    const block = scanHcl(this.textOf(path)).blocks.find(
      (one) => JSON.stringify(one.labels) === key,
    );
    if (!block) throw new RefusedError('the file does not declare the resource');
    return block;
  }

  private readonly textOf = (path: string): string => this.texts.get(path) ?? '';

  private take(path: string, edit: ReturnType<typeof setArgument>): void {
    if (!edit.ok) throw new RefusedError(edit.refused);
    this.isChanged ||= edit.text !== this.texts.get(path);
    this.texts.set(path, edit.text);
  }

  private changePlans(change: (plan: Fields) => Fields | undefined): void {
    const changed = this.plans.map(change);
    if (changed.every((plan) => plan === undefined))
      throw new RefusedError('the plan does not contain the resource; create a new plan');
    this.plans = changed.map((plan, index) => plan ?? this.plans[index] ?? {});
  }

  private resourceOf({ path, labels: [, type = '', name = ''] }: Declared): DeclaredResource {
    const folder = folderOf(path);
    return { type, name, isIn: (module) => this.moduleFolder(module) === folder };
  }
}
