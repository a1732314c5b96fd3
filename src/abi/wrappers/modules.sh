
# The modules mpi and mpi_f08 are compiled when they are first needed, once for each compiler and version: compilers do
# not read each other's, and whoever built Orrery may have had none. They are made aside and moved to their place in one
# step, so that wrappers that run at once need no lock: the first one wins, and all would have made the same.
library=-lmpi_abi_fortran
case $* in
  -showme:link | --showme:link | -showme:lib* | --showme:lib* | -link-info | -link_info | *showme:command | *showme:version | *showme:help) ;;
  *)
    version=$($compiler --version 2>/dev/null | head -n 1)
    case $version in
      *'GNU Fortran'*)
        check=-fsyntax-only
        # Programs with mpif.h pass buffers of several types to one routine, which GNU Fortran refuses from version 10 on.
        case $($compiler -dumpversion) in
          [1-9] | [1-9].*) ;;
          *) mismatch=-fallow-argument-mismatch ;;
        esac ;;
      *) check=-c ;;
    esac
    source=$prefix/fortran/mpi.f90
    key=$(printf '%s\n' "$compiler" "$version" | cat - "$source" | cksum | tr ' ' -)
    for cache in "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/orrery/fortran" "${TMPDIR:-/tmp}/orrery-fortran-$(id -u)"; do
      modules=$cache/$key
      if [ -f "$modules/mpi_f08.mod" ]; then break; fi
      making=
      mkdir -p "$cache" 2>/dev/null && [ -O "$cache" ] && making=$(mktemp -d "$cache/making.XXXXXX" 2>/dev/null) || continue
      if (cd "$making" && $compiler $check "$source") >"$modules.log" 2>&1; then
        mv -T "$making" "$modules" 2>/dev/null || rm -rf "$making"
      else
        echo "$name: $compiler cannot compile the modules mpi and mpi_f08 ($modules.log says why); mpif.h works" >&2
        rm -rf "$making"
        modules=
      fi
      break
    done ;;
esac
