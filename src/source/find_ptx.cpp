#include "source/find_ptx.h"

#include <algorithm>
#include <optional>
#include <set>

#include "source/elf_file.h"
#include "source/fatbin.h"
#include "source/restore_markers.h"

namespace gwatch::source {

namespace {

bool is_name_byte(char c) {
    return ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || c == '_' ||
           c == '$' || c == '%';
}

/// What fat binaries hold of a kernel, its PTX besides.
struct Seen {
    std::set<std::string> ptx_targets;    ///< PTX that defines it and does not run on the device
    std::set<std::string> cubin_targets;  ///< code of it
    std::optional<Error> broken;          ///< the last image that could not be unpacked
    std::size_t fatbins = 0;
};

bool is_better(const FatbinEntry& entry, const FatbinEntry& than) {
    const auto rank = [](char variant) { return variant == 'a' ? 2 : variant == 'f' ? 1 : 0; };
    return std::pair(entry.architecture, rank(entry.variant)) >
           std::pair(than.architecture, rank(than.variant));
}

bool has_code(std::string_view cubin, const std::string& kernel) {
    const std::string section = ".text." + kernel + '\0';
    return cubin.find(section) != std::string_view::npos;
}

/// Looks through fat binaries one after the other.
class Search {
  public:
    explicit Search(const Query& query) : query_(query) {}

    const Seen& seen() const { return seen_; }

    std::optional<KernelPtx> look_into(std::string_view fatbin) {
        ++seen_.fatbins;
        Result<std::vector<FatbinEntry>> entries = read_fatbin(fatbin);
        if (!entries.ok()) {
            seen_.broken = entries.error();
            return std::nullopt;
        }
        std::stable_sort(entries->begin(), entries->end(), is_better);
        std::optional<KernelPtx> found;
        for (const FatbinEntry& entry : *entries) {
            if (entry.kind == ImageKind::kPtx && !found) found = ptx_of(entry);
        }
        for (const FatbinEntry& entry : *entries) {
            if (entry.kind == ImageKind::kCubin) look_at_cubin(entry, found ? &*found : nullptr);
        }
        return found;
    }

  private:
    std::optional<std::string> image_of(const FatbinEntry& entry) {
        Result<std::string> image = unpack(entry);
        if (image.ok()) return std::move(image).value();
        seen_.broken = image.error();
        return std::nullopt;
    }

    std::optional<KernelPtx> ptx_of(const FatbinEntry& entry) {
        std::optional<std::string> ptx = image_of(entry);
        if (!ptx || !defines_entry(*ptx, query_.kernel)) return std::nullopt;
        if (!runs_on(entry.architecture, entry.variant, query_.compute_capability)) {
            seen_.ptx_targets.insert(entry.target());
            return std::nullopt;
        }
        return KernelPtx{restore_markers(*ptx), entry.target(), entry.flags, {}, "fat binary"};
    }

    /// Keeps the code that belongs to the PTX; without PTX, notes that there is code.
    void look_at_cubin(const FatbinEntry& entry, KernelPtx* found) {
        if (found && (!found->cubin.empty() || entry.target() != found->target)) return;
        std::optional<std::string> cubin = image_of(entry);
        if (!cubin || !has_code(*cubin, query_.kernel)) return;
        seen_.cubin_targets.insert(entry.target());
        if (found) found->cubin = std::move(*cubin);
    }

    const Query& query_;
    Seen seen_;
};

std::string joined(const std::set<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::string how_to_build(int compute_capability) {
    const std::string target =
        std::to_string(compute_capability) + (compute_capability >= 90 ? "a" : "");
    return "Build it with PTX: nvcc -arch=sm_" + target +
           ", or beside other targets -gencode arch=compute_" + target + ",code=compute_" + target +
           ".";
}

Error not_found(const Seen& seen, const Query& query, const std::string& place) {
    std::string message = place + " has no PTX of the kernel";
    if (!seen.ptx_targets.empty()) {
        message = place + " has PTX of the kernel for " + joined(seen.ptx_targets) +
                  " alone, which does not run on sm_" + std::to_string(query.compute_capability);
    } else if (!seen.cubin_targets.empty()) {
        message = place + " has the kernel as machine code for " + joined(seen.cubin_targets) +
                  ", and was built without PTX";
    } else if (seen.broken) {
        return *seen.broken;
    }
    return {ErrorKind::kSource, std::move(message), {}, how_to_build(query.compute_capability)};
}

bool is_fatbin_section(std::string_view name) {
    return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

/// The host part of a program registers its kernels by name.
bool names_kernel(const ElfFile& file, const std::string& kernel) {
    const std::string name = '\0' + kernel + '\0';
    return std::any_of(file.sections().begin(), file.sections().end(), [&](const auto& section) {
        if (!section.name.starts_with(".rodata") && !section.name.starts_with(".data"))
            return false;
        return section.bytes.find(name) != std::string_view::npos ||
               section.bytes.starts_with(std::string_view(name).substr(1));
    });
}

/// Calls `visit` for each fat binary of a section, which lie there with gaps, until it says true.
template <class Visit>
void for_each_fatbin(std::string_view section, const Visit& visit) {
    constexpr std::size_t kAlignment = 8;
    constexpr std::size_t kHeaderBytes = 16;
    std::size_t at = 0;
    while (at + kHeaderBytes <= section.size()) {
        const std::string_view rest = section.substr(at);
        const std::optional<std::uint64_t> size = fatbin_bytes(rest);
        if (size && *size > rest.size()) return;
        if (size && visit(rest.substr(0, *size))) return;
        at += size ? (*size + kAlignment - 1) / kAlignment * kAlignment : kAlignment;
    }
}

/// The PTX of the kernel in one file.
std::optional<KernelPtx> look_through(const ElfFile& file, Search& search) {
    std::optional<KernelPtx> found;
    for (const ElfFile::Section& section : file.sections()) {
        if (found || !is_fatbin_section(section.name)) continue;
        for_each_fatbin(section.bytes, [&](std::string_view fatbin) {
            found = search.look_into(fatbin);
            return found.has_value();
        });
    }
    return found;
}

/// Whether the file holds the image that was loaded, as far as that is known: another library may
/// define another kernel of the same name.
bool may_be_loaded_from(const ElfFile& file, const Query& query) {
    if (!fatbin_bytes(query.image)) return true;
    return std::any_of(file.sections().begin(), file.sections().end(), [&](const auto& section) {
        return is_fatbin_section(section.name) &&
               section.bytes.find(query.image) != std::string_view::npos;
    });
}

/// What was found, unless it depends on which of the files the kernel was loaded from.
Result<KernelPtx> the_only(std::vector<KernelPtx> found, const std::vector<std::string>& holders) {
    const bool is_same = std::all_of(found.begin(), found.end(), [&](const KernelPtx& one) {
        return one.ptx == found[0].ptx && one.flags == found[0].flags;
    });
    if (is_same && found.size() == holders.size()) return std::move(found[0]);
    std::string names;
    for (const std::string& path : holders) names += (names.empty() ? "" : ", ") + path;
    return Error{
        ErrorKind::kSource,
        "several loaded files hold a kernel of this name, not with the same PTX, and which "
        "of them was launched is not known: " +
            names,
        {},
        "Load only one of them in this process, or give the kernels names of their own."};
}

}  // namespace

bool defines_entry(std::string_view ptx, std::string_view kernel) {
    constexpr std::string_view kEntry = ".entry";
    for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos;
         at = ptx.find(kEntry, at + 1)) {
        const std::size_t name = ptx.find_first_not_of(" \t\r\n", at + kEntry.size());
        if (name == std::string_view::npos || !ptx.substr(name).starts_with(kernel)) continue;
        const std::size_t end = name + kernel.size();
        if (end < ptx.size() && !is_name_byte(ptx[end])) return true;
    }
    return false;
}

bool runs_on(int architecture, char variant, int compute_capability) {
    if (variant == 'a') return architecture == compute_capability;
    if (variant == 'f' && architecture / 10 != compute_capability / 10) return false;
    return architecture <= compute_capability;
}

Result<KernelPtx> find_in_fatbin(std::string_view fatbin, const Query& query) {
    Search search(query);
    std::optional<KernelPtx> found = search.look_into(fatbin);
    if (!found) return not_found(search.seen(), query, "the fat binary that was loaded");
    found->where = "the fat binary that was loaded";
    return std::move(*found);
}

Result<KernelPtx> find_in_files(const std::vector<std::string>& paths, const Query& query) {
    std::vector<KernelPtx> found;
    std::vector<std::string> holders;
    std::optional<Error> without;
    for (const std::string& path : paths) {
        const std::optional<ElfFile> file = ElfFile::open(path);
        if (!file || !names_kernel(*file, query.kernel) || !may_be_loaded_from(*file, query)) {
            continue;
        }
        Search search(query);
        std::optional<KernelPtx> ptx = look_through(*file, search);
        if (ptx || !search.seen().cubin_targets.empty()) holders.push_back(path);
        if (!ptx && search.seen().fatbins > 0 && (!without || holders.size() == 1)) {
            without = not_found(search.seen(), query, path);
        }
        if (!ptx) continue;
        ptx->where = "fat binary in " + path;
        found.push_back(std::move(*ptx));
    }
    if (!found.empty()) return the_only(std::move(found), holders);
    if (without) return std::move(*without);
    return Error{ErrorKind::kSource,
                 "neither the program nor a library that it has loaded holds a fat binary with it"};
}

}  // namespace gwatch::source
